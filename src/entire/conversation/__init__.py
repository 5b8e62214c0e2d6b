"""What a conversation says, derived from the records that an adapter reads: pure, and the same for every agent."""
