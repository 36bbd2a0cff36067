"""The table page: the tray on a web page, live, and everything that can be done on it. See README.md.

`server.serving` serves it in the service's event loop. Nothing here is loaded unless the page is served.
"""
