import { expect, vi } from 'vitest';
import type { DeletedMessages, DeletedPlace, PlatformAdapter } from '../../../src/port/index.ts';
import { valueIn } from '../../../src/store/records.ts';
import { ann, directWith, here, personCalled, type Stage, type Standing } from './stage.ts';

export const bob = personCalled('bob');
export const moderator = personCalled('mod', { moderator: true });

/** What an answer stops at after some words, and waits. */
export const stalling = 'Write 2000 characters about green [[stall]]';

/** The job that an answer is of, as its buttons name it. */
export const jobOf = ({ message }: Standing) => message.buttons?.[0]?.id.split(':')[1] ?? '';

/** What tests of deletions do, and look at, on the stage that's open. */
export function deletionsOn(stage: () => Stage) {
  const deletes = (messages: readonly string[], more: Partial<DeletedMessages> = {}) =>
    stage().bot.dispatcher.deleted({ platform: 'console', messages, ...more });
  const standingIn = (channel: string) =>
    stage().standing.filter(({ address }) => address.channel === channel);
  const untilRendering = () => stage().until(async () => (await stage().renderStates()).includes('waiting'));
  return {
    deletes,
    /** Deletes what somebody wrote or typed; each thing that's given or pressed is an event, counted from 1. */
    deletesQuestions: (...events: readonly number[]) =>
      deletes([], { events: events.map((event) => `event${event}`) }),
    deletesPlace: (place: DeletedPlace) => deletes([], { place }),

    /** What people can read in the place. */
    readable: () => standingIn(here.channel).filter(({ id }) => !stage().removed.includes(id)),
    /** What the bot sent somebody directly. */
    directly: (who = ann) => standingIn(directWith(who.id).channel),
    /** Who got something alone has one button, which takes all of it away. */
    async canBeDeleted(messages: readonly Standing[], who = ann): Promise<void> {
      const labels = messages.flatMap(({ message }) => message.buttons ?? []).map(({ label }) => label);
      expect(labels).toEqual(['Delete']);
      const isDirect = messages[0]?.address.channel === directWith(who.id).channel;
      const person = isDirect ? personCalled(who.id, { direct: true }) : who;
      expect(await stage().press('Delete', person)).toMatchObject({ kind: 'accepted' });
      expect(stage().removed).toEqual(expect.arrayContaining(messages.map(({ id }) => id)));
    },
    /** What conversations remember of questions, each with what it quotes. */
    async remembered(): Promise<readonly string[]> {
      const rows = stage().database.selectFrom('keyv').select('value').where('key', 'like', '%exchanges%');
      return (await rows.execute()).flatMap(({ value }) =>
        (valueIn(value) as { asked?: string; context?: string }[]).map(({ asked, context }) =>
          [asked, context].filter(Boolean).join('\n'),
        ),
      );
    },
    /** The number 4711 is remembered by what its person says alone, and by nothing that's said to others. */
    async isKnownPrivately(): Promise<void> {
      await stage().give('ask', { prompt: 'What was the number?' });
      expect(stage().text).not.toContain('4711');
      await stage().give('ask', { prompt: 'What was the number?', private: 'true' });
      expect(stage().text).toContain('4711');
    },
    /** What the service is sent while this is done, as JSON. */
    async sentBy(work: () => Promise<unknown>): Promise<string> {
      const sent = vi.spyOn(stage().service.chat, 'stream');
      await work();
      const messages = JSON.stringify(sent.mock.calls.map(([request]) => request.messages));
      sent.mockRestore();
      return messages;
    },

    async answered(prompt = 'Tell me about tides', who = ann): Promise<Standing> {
      await stage().give('ask', { prompt }, who);
      return stage().latest;
    },
    /** Stops an answer while it's being written. */
    async stopped(): Promise<Standing> {
      const given = stage().give('ask', { prompt: stalling });
      await stage().untilWritten();
      await stage().press('Stop');
      await given;
      return stage().latest;
    },
    /** Gives a command for an image or a video that takes long, and waits until the service makes it. */
    async makesSlowly(command: string, prompt = 'x'): Promise<void> {
      await stage().control({ render_time: 20 });
      await stage().give(command, { prompt });
      await untilRendering();
    },
    /** Waits until the service makes an image or a video. */
    untilRendering,
    /** Waits until something that's paid for is sent to the service. */
    untilSent: () =>
      stage().until(async () => (await stage().ledger()).some(({ sent_at }) => sent_at !== null)),
    /** Has a long answer grow slowly, until it takes several messages. */
    async growsLong(): Promise<{ readonly ended: Promise<unknown> }> {
      await stage().control({ pace: 'human' });
      const ended = stage().give('ask', { prompt: 'Write 9000 characters about green' });
      await stage().until(() => stage().standing.length > 1);
      return { ended };
    },
    /** An image that took so long that its requester is told below it. */
    async drawnSlowly(): Promise<{ readonly image: Standing; readonly notice: Standing }> {
      await stage().control({ render_time: 60 });
      const adapter = stage().adapter();
      const notify: PlatformAdapter['notify'] = ({ message: _, ...place }, notice, key) =>
        adapter.post(place, notice, key);
      stage().platformWith({ notify });
      await stage().make('imagine', { prompt: 'x' });
      expect(stage().text).toBe('Your image is ready.');
      return { image: stage().standing[0]!, notice: stage().latest };
    },
    /** Files of messages can be replaced, as on Discord. */
    replacesFiles(): void {
      const attachments: PlatformAdapter['attachments'] = async () => [
        { name: 'image.png', contentType: 'image/png', size: 8, source: 'image.png' },
      ];
      stage().platformWith({ replacesFiles: () => true, attachments });
    },
  };
}
