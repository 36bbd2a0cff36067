"""The tokens: what a disc is, who has which, enrolling and printing them."""
