/** Loaded into the bot's process before the bot (`node --import`): tells its processor time, and does nothing else. */

/** The processor time of the process since its start, in milliseconds. */
export interface ProcessorTime {
  readonly milliseconds: number;
}

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ milliseconds: (user + system) / 1e3 } satisfies ProcessorTime);
});
// The channel alone keeps no process alive.
process.channel?.unref();
