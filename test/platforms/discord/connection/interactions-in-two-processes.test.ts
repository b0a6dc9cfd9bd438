import { describe, expect, it } from 'vitest';
import { scaledClock } from '../../../chaos/scaled-clock.ts';
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
    const pressed = await discord.opened(ada.presses(first, 'Change'));
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
    expect(callbacks.filter(({ status }) => status === 200 || status === 204)).toHaveLength(1);
    const isHush = name === 'a button that says nothing';
    if (isHush) await discord.until('its effect', () => hushed.length > before);
    expect(hushed.length - before).toBe(isHush ? 1 : 0);
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
  /** Two processes; requests come to the first, which stops. */
  async function stopping(): Promise<Stage> {
    const twiceOn = await freshPostgres();
    const stage = await startStage({ commands: testCommands, http: true, twiceOn, requestsTo: 'first' });
    stage.platforms[0]!.leaveToOthers!();
    return stage;
  }
  const statuses = ({ discord }: Stage) => discord.endpoint.deliveries.map(({ status }) => status);

  it('is handled: commands, buttons, forms and suggestions', async () => {
    const stage = await stopping();
    const { discord, ada, channel } = stage;
    typed(stage, 'hello');
    const message = await answered(stage, 'ada: hello');
    ada.submits(await discord.opened(ada.presses(message, 'Change')), { text: 'second', loud: 'false' });
    await answered(stage, 'ada: second');
    const typing = ada.completes(channel, 'echo', 'tone', 'al');
    await discord.until('suggestions', () => typing.choices);
    await discord.until('all responses', () => !statuses(stage).includes(0));
    expect(all(stage)).toHaveLength(2);
    expect(discord.journal.to(acknowledge).map(({ status }) => status)).toEqual([200, 204, 200]);
    expect(statuses(stage)).toEqual([202, 202, 202, 200]);
  });

  it('is refused if it isn’t Discord’s', async () => {
    const stage = await stopping();
    await stage.discord.endpoint.check();
    expect(stage.discord.endpoint.removedFor).toBeUndefined();
  });
});
