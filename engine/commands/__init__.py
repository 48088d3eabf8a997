"""What the command line does, one file a command. Here, and only here, the engine prints."""
