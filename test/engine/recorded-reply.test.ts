import { expect, it } from 'vitest';
import { recordedReply } from '../../src/engine/command-watch.ts';
import { noTelemetry } from '../../src/lib/telemetry.ts';
import type { Job, LiveAnswer, LiveAnswers, MessageAddress, Reply } from '../../src/port/index.ts';

it('what a private answer posts last, such as its file, is noted as its requester’s alone', async () => {
  const noted: MessageAddress[] = [];
  const file = { platform: 'slack', workspace: 'T1', channel: 'C1', direct: false, message: 'file' } as const;
  const live: LiveAnswer = { append() {}, text: '', hint() {}, finish: async () => [file] };
  const answers: Pick<LiveAnswers, 'note'> = { note: async (_, messages) => void noted.push(...messages) };
  const reply: Pick<Reply, 'stream'> = { stream: () => live };
  const job = { id: 'job', options: { private: true }, requester: { id: 'ada' } };
  const events = { ended() {}, said() {}, shown() {}, tracer: noTelemetry.tracer };
  const recorded = recordedReply(job as unknown as Job, reply as Reply, answers as LiveAnswers, events);
  await recorded.stream({} as Parameters<Reply['stream']>[0]).finish({ kind: 'done' });
  expect(noted).toEqual([{ ...file, onlyFor: 'ada' }]);
});
