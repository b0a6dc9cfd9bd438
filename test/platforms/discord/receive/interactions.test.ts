import { Locale, MessageFlags } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../fakes/clock.ts';
import { refusals } from '../../../fakes/discord/index.ts';
import { echo, echoed, hushed, testCommands } from '../support/commands.ts';
import { startStage } from '../support/stage.ts';

const acknowledge = 'POST /interactions/{interaction_id}/{interaction_token}/callback';

describe('a hidden answer whose token Discord doesn’t know', () => {
  it('comes in a direct message, and says why', async () => {
    const stage = await startStage({ commands: [{ ...echo, seenBy: 'requester' }] });
    for (const route of [
      'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original',
      'POST /webhooks/{webhook_id}/{webhook_token}',
    ])
      stage.discord.faults.next(route, { kind: 'refuse', refusal: refusals.unknownWebhook() }, 100);
    stage.ada.types(stage.channel, { name: 'echo', options: { text: 'hello' } });
    const [answer] = await stage.discord.until('the answer', () => {
      const direct = stage.discord.messagesIn(stage.ada.direct());
      return direct.length > 0 ? direct : undefined;
    });
    expect(answer?.content).toMatch(/where you asked for it.*\nada: hello$/s);
    expect(answer?.components).toHaveLength(1);
  });
});

describe('a command typed on Discord', () => {
  it('is acknowledged, run, and answered in place of the loading message', async () => {
    const { discord, ada, channel } = await startStage({ commands: testCommands });
    const typed = ada.types(channel, { name: 'echo', options: { text: 'hello', loud: true } });
    const message = await discord.until('the answer', () =>
      discord.messagesIn(channel).find((m) => m.content),
    );
    expect(message.content).toBe('ada: hello!');
    expect(message.id).toBe(typed.responseMessageId);
    expect(message.flags & MessageFlags.Loading).toBe(0);
  });

  it('is refused privately, with what is allowed', async () => {
    const { discord, ada, channel } = await startStage({ commands: testCommands });
    ada.types(channel, { name: 'echo', options: { text: '   ' }, locale: Locale.ChineseCN });
    const message = await discord.until(
      'the refusal',
      () => discord.messagesIn(channel, { ephemeral: true })[0],
    );
    expect(message.onlyFor).toBe(ada.user.id);
    expect(message.content).toContain('text');
    expect(discord.messagesIn(channel)).toEqual([]);
  });

  it('is answered privately on every message if only the requester may see it', async () => {
    const { discord, ada, channel } = await startStage({ commands: testCommands });
    ada.types(channel, { name: 'help' });
    const private_ = await discord.until('two messages', () => {
      const all = discord.messagesIn(channel, { ephemeral: true });
      return all.length === 2 && all;
    });
    expect(private_.map((message) => message.onlyFor)).toEqual([ada.user.id, ada.user.id]);
    expect(private_.map((message) => message.content).join(' ')).toBe(`${'secret '.repeat(400)}end`);
    expect(discord.messagesIn(channel)).toEqual([]);
  });

  it('explains an error, with a button to try again', async () => {
    const { discord, ada, channel } = await startStage({ commands: testCommands });
    ada.types(channel, { name: 'echo', options: { text: 'fault' } });
    const message = await discord.until('the fault', () =>
      discord.messagesIn(channel).find((m) => m.content),
    );
    expect(message.content).toContain('a fault');
    ada.presses(message, 'Try again');
    await discord.until('another', () => discord.messagesIn(channel).filter((m) => m.content).length === 2);
  });

  it('is handled once however often the gateway repeats it', async () => {
    const stage = await startStage({ commands: testCommands });
    const { discord, channel } = stage;
    await echoed(stage, 'once');
    discord.gateway.repeatLast('INTERACTION_CREATE');
    await echoed(stage, 'after');
    expect(discord.messagesIn(channel)).toHaveLength(2);
    expect(discord.journal.to(acknowledge)).toHaveLength(2);
  });

  it('autocompletes an option', async () => {
    const { discord, ada, channel } = await startStage({ commands: testCommands });
    const typing = ada.completes(channel, 'echo', 'tone', 'al');
    const choices = await discord.until('choices', () => typing.choices);
    expect(choices).toEqual([{ name: 'ALPHA', value: 'alpha' }]);
  });

  it('works in a direct message', async () => {
    const stage = await startStage({ commands: testCommands });
    await echoed(stage, 'hello', stage.ada.direct());
  });
});

describe('a button on Discord', () => {
  it('opens a form with the earlier values, and runs with the new ones', async () => {
    const stage = await startStage({ commands: testCommands });
    const { discord, ada, channel } = stage;
    const message = await echoed(stage, 'first');
    const pressed = ada.presses(message, 'Change');
    const form = await discord.until('the form', () => pressed.modal);
    expect(JSON.stringify(form)).toContain('"value":"first"');
    ada.submits(pressed, { text: 'second', loud: 'false' });
    await discord.until('the second', () =>
      discord.messagesIn(channel).find((m) => m.content.endsWith('ada: second')),
    );
  });

  it('works after a restart, and privately refuses other people', async () => {
    const stage = await startStage({ commands: testCommands });
    const { discord, ada, bob, channel } = stage;
    const message = await echoed(stage, 'first');
    await stage.restart();
    bob.presses(message, 'Change');
    const refusal = await discord.until('the refusal', () =>
      discord.messagesIn(channel, { ephemeral: true }).find((m) => m.onlyFor === bob.user.id),
    );
    expect(refusal.content).toContain('Only the person who ran the command');
    ada.presses(message, 'Hush');
    await discord.until('the quiet button', () => hushed.some((line) => line.endsWith(message.id)));
  });

  it('works after a month', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ commands: testCommands, clock });
    const { discord, ada, channel } = stage;
    const message = await echoed(stage, 'first');
    await clock.advance(31 * 86_400_000);
    ada.submits(await discord.opened(ada.presses(message, 'Change')), { text: 'second', loud: 'false' });
    await discord.until('the second', () =>
      discord.messagesIn(channel).find((m) => m.content.endsWith('ada: second')),
    );
  });

  it('keeps a private answer private on every message, next to a public one', async () => {
    const stage = await startStage({ commands: testCommands });
    const { discord, bob, channel } = stage;
    const message = await echoed(stage, 'first');
    bob.presses(message, 'Tell me');
    const all = await discord.until('two', () => {
      const seen = discord.messagesIn(channel, { ephemeral: true }).filter((m) => m.onlyFor === bob.user.id);
      return seen.length === 2 && seen;
    });
    expect(all.every((one) => (one.flags & MessageFlags.Ephemeral) !== 0)).toBe(true);
    expect(discord.messagesIn(channel)).toHaveLength(1);
  });
});
