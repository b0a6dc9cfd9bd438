import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import { openKeyv } from '../../../../src/store/index.ts';
import { scaledClock } from '../../../chaos/scaled-clock.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import type { Interaction, Message } from '../../../fakes/discord/index.ts';
import { freshPostgres } from '../../../fakes/postgres/index.ts';
import { hushed, testCommands } from '../support/commands.ts';
import { type Stage, startStage } from '../support/stage.ts';

const acknowledge = 'POST /interactions/{interaction_id}/{interaction_token}/callback';

const all = ({ discord, channel }: Stage) =>
  discord.messagesIn(channel, { ephemeral: true }).filter(({ content }) => content !== '');
const typed = ({ ada, channel }: Stage, text: string) =>
  ada.types(channel, { name: 'echo', options: { text } });
const answered = (stage: Stage, text: string) =>
  stage.discord.until(text, () => all(stage).find(({ content }) => content.includes(text)));
const isOther = ({ content }: Message) => !/first|the end/.test(content);

/** Everything that may still be on its way is there: another command has been answered. */
async function settled(stage: Stage): Promise<void> {
  typed(stage, 'the end');
  await answered(stage, 'the end');
}

/** What's sent to both processes, and what people see of it beside the answer that it begins with. */
const cases: Readonly<
  Record<string, (stage: Stage, first: Message) => Promise<{ sent: Interaction; seen: readonly string[] }>>
> = {
  'a command': async (stage) => ({ sent: typed(stage, 'hello'), seen: ['ada: hello'] }),
  'a refusal': async (stage) => ({ sent: typed(stage, '   '), seen: ['text'] }),
  'a private button': async ({ ada }, first) => ({
    sent: ada.presses(first, 'Tell me'),
    seen: ['x'.repeat(2000), 'x'.repeat(500)],
  }),
  'a button that says nothing': async ({ ada }, first) => ({ sent: ada.presses(first, 'Hush'), seen: [] }),
  'a form': async ({ ada, discord }, first) => {
    const pressed = ada.presses(first, 'Change');
    await discord.until('the form', () => pressed.modal);
    return { sent: ada.submits(pressed, { text: 'second', loud: 'false' }), seen: ['ada: second'] };
  },
};

describe('an interaction that comes to two processes at once', () => {
  // A busy machine has time to ask the database: without its answer each process would handle everything, or refuse it.
  const botClock = scaledClock(0.2);

  it.each(Object.keys(cases))('%s is handled by one of them', async (name) => {
    const twiceOn = await freshPostgres();
    const stage = await startStage({ commands: testCommands, http: true, twiceOn, botClock });
    const { discord } = stage;
    typed(stage, 'first');
    const first = await answered(stage, 'first');
    const before = hushed.length;
    const { sent, seen } = await cases[name]!(stage, first);
    // Both processes have answered the request.
    await discord.until('the delivery', () =>
      discord.endpoint.deliveries.find(
        ({ interactionId, status }) => interactionId === sent.id && status !== 0,
      ),
    );
    for (const text of seen) await answered(stage, text);
    await discord.until('all of it', () => all(stage).filter(isOther).length >= seen.length);
    await settled(stage);
    const shown = all(stage).filter(isOther);
    expect(shown).toHaveLength(seen.length);
    const callbacks = discord.journal.to(acknowledge).filter(({ path }) => path.includes(sent.id));
    expect(callbacks).toHaveLength(1);
    const isHush = name === 'a button that says nothing';
    if (isHush) await discord.until('its effect', () => hushed.length > before);
    expect(hushed.length - before).toBe(isHush ? 1 : 0);
    expect(discord.journal.violations).toEqual([]);
  });

  it('a question before a command is asked once, and its answer counts once', async () => {
    const twiceOn = await freshPostgres();
    const question = 'Really?';
    const stage = await startStage({ commands: testCommands, http: true, twiceOn, botClock, question });
    const { ada } = stage;
    typed(stage, 'hello');
    const asked = await answered(stage, question);
    ada.presses(asked, 'Yes, go ahead');
    await answered(stage, 'ada: hello');
    const texts = all(stage).map(({ content }) => content);
    expect(texts.filter((text) => text.includes('ada: hello'))).toHaveLength(1);
    expect(texts).toHaveLength(2);
  });
});

describe('an interaction that comes to a process that stops, while another goes on', () => {
  /** Two processes; requests come to the first, which stops. Its time stands still, so that it handles none itself. */
  async function stopping(): Promise<{ stage: Stage; clock: FakeClock }> {
    const clock = new FakeClock(Date.now());
    const twiceOn = await freshPostgres();
    const stage = await startStage({
      ...{ commands: testCommands, http: true, twiceOn, requestsTo: 'first', botClock: clock },
    });
    return { stage, clock };
  }
  const statuses = ({ discord }: Stage) => discord.endpoint.deliveries.map(({ status }) => status);

  it('is handled by the other: commands, buttons and forms', async () => {
    const { stage, clock } = await stopping();
    const { discord, ada, channel } = stage;
    stage.platforms[0]!.leaveToOthers!();
    typed(stage, 'hello');
    const message = await answered(stage, 'ada: hello');
    const pressed = ada.presses(message, 'Change');
    await discord.until('the form', () => pressed.modal);
    ada.submits(pressed, { text: 'second', loud: 'false' });
    await answered(stage, 'ada: second');
    // Suggestions need nobody else.
    const typing = ada.completes(channel, 'echo', 'tone', 'al');
    await discord.until('suggestions', () => typing.choices);
    await clock.advance(700);
    // Slowly, so that the database can say who has them.
    while (statuses(stage).includes(0)) {
      await new Promise((later) => setTimeout(later, 20));
      await clock.advance(20);
    }
    expect(all(stage)).toHaveLength(2);
    expect(discord.journal.to(acknowledge).map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(statuses(stage)).toEqual([202, 202, 202, 200]);
    expect(discord.journal.violations).toEqual([]);
  });

  it('is handled by itself after a moment if nobody else takes it', async () => {
    const { stage, clock } = await stopping();
    for (const one of stage.platforms) one.leaveToOthers!();
    const before = clock.pending;
    typed(stage, 'hello');
    // The request itself has a limit, too.
    await stage.discord.until('the wait for others', () => clock.pending >= before + 2);
    expect(all(stage)).toEqual([]);
    await clock.advance(700);
    await answered(stage, 'ada: hello');
  });

  it('goes on refusing what isn’t Discord’s', async () => {
    const { stage } = await stopping();
    stage.platforms[0]!.leaveToOthers!();
    await stage.discord.endpoint.check();
    expect(stage.discord.endpoint.removedFor).toBeUndefined();
  });

  it('is handled by itself where Discord takes answers to requests alone', async () => {
    const twiceOn = await freshPostgres();
    const stage = await startStage({
      ...{ commands: testCommands, http: true, twiceOn, requestsTo: 'first' },
      readings: { callbackByHttp: 'refused' },
    });
    typed(stage, 'first');
    await answered(stage, 'ada: first');
    stage.platforms[0]!.leaveToOthers!();
    typed(stage, 'second');
    await answered(stage, 'ada: second');
    expect(stage.discord.journal.violations).toEqual([]);
  });
});

describe('an interaction whose process dies', () => {
  /** Two processes. One look at who somebody is never ends: a process that claimed an interaction gets no further. */
  async function dying(
    requestsTo: 'both' | 'first',
    endless = 1,
  ): Promise<{ stage: Stage; looks: () => number }> {
    let looks = 0;
    const stage = await startStage({
      ...{ commands: testCommands, http: true, twiceOn: await freshPostgres(), requestsTo },
      // Discord waits as long as it takes here.
      clock: new FakeClock(Date.now() + 10_000),
      botClock: systemClock,
      allowedGuilds: () => ['1'],
      operators: () => (++looks === endless ? new Promise(() => {}) : Promise.resolve(true)),
    });
    return { stage, looks: () => looks };
  }

  it.each(['both', 'first'] as const)(
    'before it’s on record is handled by the other (sent to %s)',
    async (to) => {
      const { stage, looks } = await dying(to);
      const { discord, ada, database } = stage;
      const sent = ada.types(ada.direct(), { name: 'echo', options: { text: 'hello' } });
      await discord.until('the claim', () => looks() === 1);
      const claim = await openKeyv(database, 'discord').get<{ process: string }>(`interaction ${sent.id}`);
      await stage.vanish(claim!.process);
      const shown = () => discord.messagesIn(ada.direct()).map(({ content }) => content);
      await discord.until('the answer', () => shown().includes('ada: hello'));
      expect(shown()).toEqual(['ada: hello']);
      expect(discord.journal.violations).toEqual([]);
    },
  );

  it('before it’s on record comes before what its person did later', async () => {
    const { stage, looks } = await dying('both');
    const { discord, ada } = stage;
    const sent = ada.types(ada.direct(), { name: 'echo', options: { text: 'one' } });
    await discord.until('the claim', () => looks() === 1);
    ada.types(ada.direct(), { name: 'echo', options: { text: 'two' } });
    await stage.vanish(await holder(stage, sent));
    const shown = () => discord.messagesIn(ada.direct()).map(({ content }) => content);
    await discord.until('both', () => shown().filter((content) => content !== '').length === 2);
    expect(shown()).toEqual(['ada: one', 'ada: two']);
  });

  const holder = async ({ database }: Stage, { id }: Interaction) => {
    const claim = await openKeyv(database, 'discord').get<{ process: string }>(`interaction ${id}`);
    return claim!.process;
  };

  it.each(['Tell me', 'Hush', 'Change'])(
    'before a press of “%s” is acknowledged: the other handles it',
    async (label) => {
      const { stage, looks } = await dying('first', 2);
      const { discord, ada } = stage;
      const before = hushed.length;
      ada.types(ada.direct(), { name: 'echo', options: { text: 'hello' } });
      const shown = () => discord.messagesIn(ada.direct());
      const message = await discord.until('the message', () => shown().find((one) => one.content !== ''));
      const sent = ada.presses(message, label);
      await discord.until('the claim', () => looks() === 2);
      await stage.vanish(await holder(stage, sent));
      await discord.until('the effect', () => {
        if (label === 'Change') return sent.modal !== undefined;
        if (label === 'Hush') return hushed.length > before;
        return discord.messagesIn(ada.direct(), { ephemeral: true }).length === 3;
      });
      expect(discord.journal.violations).toEqual([]);
    },
  );

  it.each(['both', 'first'] as const)(
    'after a press was acknowledged: its effect isn’t repeated (sent to %s)',
    async (to) => {
      const { stage } = await dying(to, 0);
      const { discord, ada } = stage;
      ada.types(ada.direct(), { name: 'echo', options: { text: 'hello' } });
      const shown = () => discord.messagesIn(ada.direct());
      const message = await discord.until('the message', () => shown().find((one) => one.content !== ''));
      const before = hushed.length;
      const sent = ada.presses(message, 'Hush');
      await discord.until('the effect', () => hushed.length > before);
      await stage.vanish(await holder(stage, sent));
      const callbacks = () => discord.journal.to(acknowledge).filter(({ path }) => path.includes(sent.id));
      await discord.until('the other’s response', () => callbacks().length === 2);
      ada.types(ada.direct(), { name: 'echo', options: { text: 'the end' } });
      await discord.until('the end', () => shown().some(({ content }) => content.includes('the end')));
      expect(hushed.length).toBe(before + 1);
    },
  );

  it('before it’s acknowledged is acknowledged by the other, and its answer goes there', async () => {
    const stage = await startStage({
      ...{ commands: testCommands, http: true, twiceOn: await freshPostgres(), requestsTo: 'first' },
      clock: new FakeClock(Date.now() + 10_000),
      botClock: systemClock,
    });
    const { discord, database } = stage;
    discord.faults.next(acknowledge, { kind: 'hold', until: new Promise(() => {}) });
    const sent = typed(stage, 'hello');
    await discord.until('the request', () => discord.faults.left(acknowledge) === 0);
    await stage.vanish(stage.processes[0]!);
    await discord.until('the acknowledgement', () => sent.acknowledgement !== undefined);
    expect(await database.selectFrom('jobs').select('state').execute()).toEqual([{ state: 'running' }]);
    expect(all(stage)).toEqual([]);
  });
});
