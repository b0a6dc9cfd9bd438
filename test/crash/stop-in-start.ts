// Preloaded into the bot: tells it to stop at one moment of its start, from inside, so that it is this moment.
// `STOP_AT`: `start` is before anything is answered, `end` is when what a former process left goes on already.

const { STOP_AT, STOP_SIGNALS = 'SIGTERM' } = process.env;
/** The upkeep is what the start begins last. It may have several timers. */
const upkeep = 'startUpkeep';
let isTold = false;

const tell = () => {
  if (isTold) return;
  isTold = true;
  for (const signal of STOP_SIGNALS.split(' ')) process.kill(process.pid, signal);
};

if (STOP_AT === 'end') {
  const original = globalThis.setInterval;
  globalThis.setInterval = ((...given: Parameters<typeof setInterval>) => {
    if (new Error().stack?.includes(upkeep)) tell();
    return original(...given);
  }) as typeof setInterval;
} else {
  const { Server } = await import('node:net');
  const original = Server.prototype.listen;
  Server.prototype.listen = function (
    this: InstanceType<typeof Server>,
    ...given: Parameters<typeof original>
  ) {
    tell();
    return original.apply(this, given);
  } as typeof original;
}
