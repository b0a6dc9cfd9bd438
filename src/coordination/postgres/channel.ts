import { EventEmitter } from 'node:events';
import type { Signals } from '../coordination.ts';
import type { OwnConnection, Session } from './own-connection.ts';

/** The one channel of PostgreSQL that the processes of a bot listen to; channels are of one database. */
export const channel = 'troupe';
/** A notification takes less than 8,000 bytes. */
const longestText = 7_000;

/** Signals over NOTIFY, which PostgreSQL brings to the sender as well. What's sent while a process is away is lost to it. */
export function notifySignals(connection: OwnConnection): Signals {
  const heard = new EventEmitter().setMaxListeners(0);
  connection.onSession(async (session) => void (await session.query(`listen ${channel}`)));
  connection.onNotification((payload) => {
    const end = payload.indexOf('\n');
    heard.emit(payload.slice(0, end), payload.slice(end + 1));
  });
  return {
    async send(topic, text) {
      if (Buffer.byteLength(text) > longestText)
        throw new RangeError(`a signal is longer than ${longestText} bytes`);
      await notify(await connection.sessionSoon(), topic, text);
    },
    on(topic, listener) {
      heard.on(topic, listener);
      return () => void heard.off(topic, listener);
    },
  };
}

/** Sends a signal in a session. */
export async function notify(session: Session, topic: string, text: string): Promise<void> {
  await session.query('select pg_notify($1, $2)', [channel, `${topic}\n${text}`]);
}
