"""``python -m entire_demo_plugin``: answers one call of the plugin protocol."""

from entire_demo_plugin import main

if __name__ == "__main__":
    main()
