import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Fields } from '../../fakes/discord/http/fields.ts';
import { testCommands } from '../../platforms/discord/support/commands.ts';
import { type Stage, startStage } from '../../platforms/discord/support/stage.ts';
import { anyText, type Edge } from '../edge.ts';

/** Rate limits are not what is looked at. */
const wide = { limit: 1e6, windowMilliseconds: 1_000 };
/** What a person does, and becomes the event that is spoilt. */
const deeds = ['types', 'attaches', 'completes', 'presses', 'submits', 'mentions', 'forwards'] as const;
type Deed = (typeof deeds)[number];

/** What takes the place of a part of an event: another type, too much of it, or what belongs to somebody else. */
const junk = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, true, -1, 0, 1.5, 2 ** 53, '', 'x'.repeat(20_000), [], {}, [null], [{}], { id: null }],
    ...'0 1 echo help echo.change:x echo.hush: give.again:1 __proto__ constructor.constructor:x'.split(' '),
    ...['1'.repeat(17), '9'.repeat(20), '18446744073709551615', '2024-01-01T00:00:00Z'],
    { __proto__: { polluted: true }, constructor: null },
  ),
  fc.integer({ min: 0, max: 30 }),
  anyText,
  fc.jsonValue({ maxDepth: 2 }),
);
const spoilings = fc.array(
  fc.record({ part: fc.nat(), how: fc.constantFrom('replaced', 'gone', 'doubled'), by: junk }),
  { minLength: 1, maxLength: 4 },
);
type Spoiling = typeof spoilings extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

/** Where something stands in an event. */
interface Part {
  readonly holder: Record<string, unknown>;
  readonly name: string;
}

function partsOf(value: unknown): Part[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((name) => [{ holder, name }, ...partsOf(holder[name])]);
}

/** The event with parts of it replaced, gone, or twice in a list. */
function spoilt(event: Fields, changes: readonly Spoiling[]): Fields {
  const copy = structuredClone(event);
  for (const { part, how, by } of changes) {
    const parts = partsOf(copy);
    const found = parts[part % Math.max(1, parts.length)];
    if (!found) continue;
    const { holder, name } = found;
    if (how === 'gone') delete holder[name];
    else if (how === 'doubled' && Array.isArray(holder)) holder.push(holder[Number(name)]);
    else holder[name] = by;
  }
  return copy;
}

/**
 * Interactions and messages as no Discord should send them, over the gateway and through the real library: whatever
 * they are, the bot answers what comes next, sends nothing that Discord would not take, and no error is left to end the
 * process.
 */
export const discordEvents: Edge = {
  name: 'Discord’s events',
  async open() {
    const buckets = { other: wide, webhook: wide, 'message-create': wide };
    const stage = await startStage({ commands: testCommands, buckets });
    const does = await deedsAt(stage);
    const unhandled: unknown[] = [];
    const listener = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', listener);
    process.on('uncaughtException', listener);
    const property = fc.asyncProperty(fc.constantFrom(...deeds), spoilings, async (deed, changes) => {
      const { gateway } = stage.discord;
      gateway.spoil = (name, data) =>
        /^(INTERACTION|MESSAGE)_CREATE$/.test(name) ? spoilt(data, changes) : data;
      unhandled.length = 0;
      stage.discord.journal.violations.length = 0;
      does[deed]();
      gateway.spoil = (_, data) => data;
      const next = stage.ada.completes(stage.channel, 'echo', 'tone', 'a');
      const choices = await stage.discord.until('an answer to what came next', () => next.choices);
      assert.deepEqual(
        choices.map(({ value }) => value),
        ['alpha', 'beta'],
      );
      assert.deepEqual(unhandled, []);
      assert.deepEqual(stage.discord.journal.violations, []);
      assert.equal(({} as { polluted?: true }).polluted, undefined);
      forget(stage);
    });
    const close = async () => {
      process.off('unhandledRejection', listener);
      process.off('uncaughtException', listener);
    };
    return { property, close };
  },
};

async function deedsAt({ ada, channel, discord }: Stage): Promise<Record<Deed, () => unknown>> {
  const { bot } = discord.world;
  ada.types(channel, { name: 'echo', options: { text: 'hello' } });
  const answer = await discord.until('an answer', () =>
    discord.messagesIn(channel).find((m) => m.components.length > 0),
  );
  const opened = ada.presses(answer, 'Change');
  await discord.until('the form', () => opened.modal);
  const file = { name: 'a.txt', contentType: 'text/plain', bytes: Buffer.from('words') };
  const note = ada.writes(channel, 'a note');
  return {
    types: () => ada.types(channel, { name: 'echo', options: { text: `<@${ada.user.id}>`, loud: true } }),
    attaches: () => ada.types(channel, { name: 'give', options: { kind: 'file' } }),
    completes: () => ada.completes(channel, 'echo', 'tone', 'a', { text: 'b' }),
    presses: () => ada.presses(answer, 'Tell me'),
    submits: () => ada.submits(opened, { text: 'new' }),
    mentions: () => ada.writes(channel, `<@${bot.id}> hello`, { files: [file], replyTo: answer }),
    forwards: () => ada.writes(channel, '', { forwards: note }),
  };
}

/** What the test server keeps of a hundred thousand events is not what is looked at. */
function forget({ discord, logged }: Stage): void {
  logged.length = 0;
  discord.journal.requests.length = 0;
  for (const { events } of discord.gateway.sessions.values()) events.splice(0, events.length - 1);
}
