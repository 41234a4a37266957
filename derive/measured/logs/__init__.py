"""What serving engines print at their start: lines found, gathered by start and replica."""
