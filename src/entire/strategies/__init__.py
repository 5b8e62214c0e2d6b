"""What "save" means: steps, and when they become checkpoints."""
