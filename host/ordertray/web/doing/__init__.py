"""What is asked: the API's handlers, setting a game up, enrolling discs, moving a virtual tray."""
