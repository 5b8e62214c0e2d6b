"""Resume: find stored sessions and put them where their agents can continue them."""
