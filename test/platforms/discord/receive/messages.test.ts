import { Locale, PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import type { Person } from '../../../../src/port/index.ts';
import { openKeyv } from '../../../../src/store/index.ts';
import { secret } from '../support/commands.ts';
import { openAnswers, streamingAsk } from '../support/live-command.ts';
import { type Stage, startStage, withoutPermission } from '../support/stage.ts';

const commands = [streamingAsk, secret];
const create = 'POST /channels/{channel_id}/messages';
const typing = 'POST /channels/{channel_id}/typing';

describe('messages to the bot on Discord', () => {
  it('answers a mention with a reply, typing until its first words are there', async () => {
    const stage = await startStage({ commands });
    const asked = stage.ada.mentions(stage.channel, 'say hello');
    const answer = await stage.discord.until('the answer', () => stage.ofBot()[0]);
    expect(answer.content).toBe('hello');
    expect(answer.replyTo).toBe(asked.id);
    expect(answer.mentions).toEqual([]);
    expect(stage.discord.journal.to(typing)).toHaveLength(1);
  });

  it('answers a direct message', async () => {
    const stage = await startStage({ commands });
    stage.ada.writes(stage.ada.direct(), 'say hello');
    await stage.discord.until('the answer', () => stage.ofBot(stage.ada.direct())[0]);
  });

  it('answers a reply to one of its messages', async () => {
    const stage = await startStage({ commands });
    stage.ada.mentions(stage.channel, 'say hello');
    const answer = await stage.discord.until('the answer', () => stage.ofBot()[0]);
    stage.bob.writes(stage.channel, 'say and now?', { replyTo: answer });
    await stage.discord.until('the second answer', () => stage.ofBot().find((m) => m.content === 'and now?'));
  });

  it('looks nothing up about people’s replies to each other, which say by themselves whom they answer', async () => {
    const stage = await startStage({ commands, readings: { referencedMessage: 'covered' } });
    const bobs = stage.bob.writes(stage.channel, 'shall we?');
    // What's on record would decide, if it were asked for.
    await openKeyv(stage.database, 'discord').set(`message ${bobs.id}`, { answer: true });
    stage.ada.writes(stage.channel, 'yes', { replyTo: bobs });
    for (const words of ['one', 'two']) {
      stage.ada.mentions(stage.channel, `say ${words}`);
      await stage.discord.until(words, () => stage.ofBot().some(({ content }) => content === words));
    }
    expect(stage.ofBot().map(({ content }) => content)).toEqual(['one', 'two']);
  });

  it('answers one message once, however often the gateway repeats it, also after a restart', async () => {
    const stage = await startStage({ commands });
    stage.ada.mentions(stage.channel, 'say once');
    await stage.discord.until('the answer', () => stage.ofBot()[0]);
    stage.discord.gateway.repeatLast('MESSAGE_CREATE');
    await stage.restart();
    stage.ada.mentions(stage.channel, 'say after');
    await stage.discord.until('the other', () => stage.ofBot().find((m) => m.content === 'after'));
    expect(stage.ofBot().map((m) => m.content)).toEqual(['once', 'after']);
  });

  it('ignores messages that aren’t for it, other bots, and itself', async () => {
    const stage = await startStage({ commands });
    const other = stage.discord.person(stage.discord.world.addUser('robot', { bot: true }));
    stage.ada.writes(stage.channel, 'just talking');
    other.mentions(stage.channel, 'say loop');
    stage.ada.mentions(stage.channel, 'say me');
    await stage.discord.until('the answer', () => stage.ofBot()[0]);
    expect(stage.ofBot().map((m) => m.content)).toEqual(['me']);
  });

  it('sends the service names instead of ids', async () => {
    const stage = await startStage({ commands });
    stage.ada.mentions(stage.channel, `say hello <@${stage.bob.user.id}>`);
    const answer = await stage.discord.until('the answer', () => stage.ofBot()[0]);
    expect(answer.content).toBe('hello @bob');
  });

  it('knows people’s permissions in the server, never more', async () => {
    const seen: Person[] = [];
    const stage = await startStage({
      commands: [
        {
          ...streamingAsk,
          run: async ({ requester, reply }) => {
            seen.push(requester);
            await reply.say({ text: `seen ${seen.length}` });
          },
        },
      ],
    });
    const role = stage.discord.world.addRole(
      stage.guild,
      'mods',
      PermissionFlagsBits.ManageMessages | PermissionFlagsBits.ManageGuild,
    );
    stage.guild.members.get(stage.bob.user.id)?.roles.push(role.id);
    await stage.restart();
    for (const [index, person] of [stage.ada, stage.bob].entries()) {
      person.mentions(stage.channel, 'hello');
      await stage.discord.until('the answer', () =>
        stage.ofBot().some((m) => m.content === `seen ${index + 1}`),
      );
    }
    stage.ada.writes(stage.ada.direct(), 'hello');
    await stage.discord.until('the answer', () => stage.ofBot(stage.ada.direct())[0]);
    expect(
      seen.map(({ name, administrator, moderator, direct }) => [name, administrator, moderator, direct]),
    ).toEqual([
      ['ada', false, false, undefined],
      ['bob', true, true, undefined],
      ['ada', false, false, true],
    ]);
    expect(seen[1]?.roles).toContain(role.id);
  });

  it.each(['', 'What can you do here?', '你能做什么？'])(
    'explains itself where it is asked: %s',
    async (text) => {
      const stage = await startStage({ commands });
      stage.ada.mentions(stage.channel, text);
      await stage.discord.until('the help', () => stage.ofBot()[0]?.content.startsWith('secret'));
    },
  );

  it('continues in its own thread if it’s mentioned, and explains once if it isn’t', async () => {
    const stage = await startStage({ commands, locale: Locale.ChineseCN });
    stage.ada.mentions(stage.channel, 'say root');
    const root = await stage.discord.until('the root', () => stage.ofBot()[0]);
    await stage.platform.adapter.openThread({ ...stage.place, message: root.id }, 'A talk');
    const thread = stage.discord.world.channel(root.id);
    stage.ada.writes(thread, 'without a mention');
    const hint = await stage.discord.until('the hint', () => stage.ofBot(thread)[0]);
    expect(hint.content).toContain('提及');
    stage.ada.writes(thread, 'again without');
    stage.ada.mentions(thread, 'say here');
    await stage.discord.until('the answer', () => stage.ofBot(thread).find((m) => m.content === 'here'));
    expect(stage.ofBot(thread)).toHaveLength(2);
  });

  it('asks for no privileged intent', async () => {
    const stage = await startStage({ commands });
    const [session] = [...stage.discord.gateway.sessions.values()];
    expect(session?.intents).toBe((1 << 0) | (1 << 9) | (1 << 12));
  });

  // Fact: The REST library repeats a request with the same nonce after a 5xx, not after a closed connection
  // (measured)
  it('posts once if the response was lost, in any way', async () => {
    const stage = await startStage({ commands });
    stage.discord.faults.next(create, { kind: 'close-after' });
    stage.discord.faults.next(create, { kind: 'error-after', status: 502 });
    stage.discord.faults.next(create, { kind: 'error', status: 503 });
    stage.ada.mentions(stage.channel, 'say once');
    await stage.discord.until('four tries', () => stage.discord.journal.to(create).length === 4);
    expect(stage.ofBot().map((m) => m.content)).toEqual(['once']);
  });
});

describe('if the bot can’t read the message history', () => {
  const history = PermissionFlagsBits.ReadMessageHistory;
  const refused = (stage: Stage) => stage.discord.journal.to(create).filter(({ status }) => status === 403);

  it('answers without a reply by its permissions, and is never refused', async () => {
    const stage = await startStage({ commands, before: withoutPermission(history) });
    stage.ada.mentions(stage.channel, 'say hello');
    const answer = await stage.discord.until('the answer', () => stage.ofBot()[0]);
    expect([answer.content, answer.replyTo]).toEqual(['hello', undefined]);
    expect(refused(stage)).toEqual([]);
    expect(openAnswers).toHaveLength(1);
  });

  it('answers without a reply if Discord refuses it, and calls the service once', async () => {
    const stage = await startStage({ commands });
    stage.forbid(history);
    stage.ada.mentions(stage.channel, 'say hello');
    const answer = await stage.discord.until('the answer', () => stage.ofBot()[0]);
    expect([answer.content, answer.replyTo]).toEqual(['hello', undefined]);
    expect(refused(stage)).toHaveLength(1);
    expect(stage.ofBot()).toHaveLength(1);
    expect(openAnswers).toHaveLength(1);
  });
});

describe('if the bot can’t post', () => {
  it('tells the person directly which permission is missing, and doesn’t call the service', async () => {
    const stage = await startStage({
      commands,
      before: withoutPermission(PermissionFlagsBits.SendMessages),
    });
    stage.ada.mentions(stage.channel, 'say hello');
    const [word] = await stage.discord.until('the word', () => {
      const direct = stage.ofBot(stage.ada.direct());
      return direct.length > 0 && direct;
    });
    expect(word?.content).toContain('Send Messages');
    expect(openAnswers).toEqual([]);
    expect(stage.discord.rateLimits.invalidRequests).toBe(0);
  });

  it.each([
    ['say hello', 'I can’t answer in '],
    ['say 你好', '我没法在 '],
  ])('names the channel to who wrote “%s”: the word comes elsewhere', async (said, beginning) => {
    const before = withoutPermission(PermissionFlagsBits.SendMessages);
    const stage = await startStage({ commands, before });
    stage.ada.mentions(stage.channel, said);
    const word = await stage.discord.until('the word', () => stage.ofBot(stage.ada.direct())[0]);
    expect(word.content).toContain(`${beginning}<#${stage.channel.id}>`);
  });

  it('caches no direct message channels', async () => {
    const stage = await startStage({ commands });
    for (const person of [stage.ada, stage.bob]) {
      person.writes(person.direct(), 'say hello');
      await stage.discord.until('the answer', () => stage.ofBot(person.direct())[0]);
    }
    const { adapter } = stage.platform;
    const direct = { platform: 'discord', workspace: 'x', channel: stage.ada.direct().id } as const;
    expect(await adapter.channelName?.(direct)).toBeUndefined();
    expect(await adapter.channelName?.(stage.place)).toBe('#general');
  });
});
