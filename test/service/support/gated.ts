import type { CallOptions, RateWindows } from '../../../src/service/index.ts';
import { ask, patient, stage } from './helpers.ts';
import type { Script } from './raw-server.ts';

/** Windows that let through just as many as a test says. */
export class Gate implements RateWindows {
  free = 0;
  asked = 0;

  take(): number {
    this.asked++;
    if (this.free === 0) return 1_000;
    this.free--;
    return 0;
  }

  pause(): void {
    this.free = 0;
  }
}

/** A service that takes everything. */
export const answers: Script = (request, reply) => {
  if (request.path.endsWith('completions')) reply.json(200, { choices: [{ message: { content: 'a' } }] });
  else if (request.path.endsWith('speech')) reply.send(200, 'RIFF\0\0\0\0WAVEfmt ');
  else if (request.path.endsWith('voices')) reply.json(200, []);
  else reply.json(200, { id: 'a', status: 'running', data: [] });
};

/** A client behind a gate, and the order in which its calls are let through, by their names. */
export async function gated(options: { waiting?: number } = {}) {
  const gate = new Gate();
  const { waiting = 1_000 } = options;
  const all = { chat: waiting, voice: waiting, images: waiting, videos: waiting, status: waiting };
  const set = await stage(answers, { windows: gate, timeouts: patient, limits: { waiting: all } });
  const order: string[] = [];
  const call = (name: string, callOptions: CallOptions = {}) => {
    const done = set.client.chat.create({ ...ask, messages: [{ role: 'user', content: name }] }, callOptions);
    return done.then(
      () => void order.push(name),
      (error: Error) => error,
    );
  };
  /** Lets some through, one after the other. */
  const open = async (count: number) => {
    for (let turn = 0; turn < count; turn++) {
      const before = order.length;
      gate.free = 1;
      while (order.length === before) await set.clock.advance(1_000);
    }
  };
  return { ...set, gate, order, call, open };
}
