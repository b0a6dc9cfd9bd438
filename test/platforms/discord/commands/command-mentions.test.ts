import { describe, expect, it } from 'vitest';
import { actionId } from '../../../../src/port/index.ts';
import { defineCommand } from '../../../fakes/commands.ts';
import type { Channel } from '../../../fakes/discord/index.ts';
import { type Stage, startStage } from '../support/stage.ts';

const description = { en: 'x', 'zh-CN': '甲' };
const written = 'Try `/tour`, **/tour** or `/tour text:x`, not `/nothing` or \\`/tour\\`:\n```\n`/tour`\n```';

/** A command whose texts name commands. */
const tour = defineCommand<{ text: { type: 'text'; maxCharacters: 3; description: typeof description } }>({
  name: 'tour',
  description,
  help: description,
  options: { text: { type: 'text', maxCharacters: 3, description } },
  textOption: 'text',
  seenBy: 'channel',
  async run({ job, reply, requester }) {
    await reply.say({ text: written, buttons: [{ id: actionId('tour', 'more', job.id), label: 'More' }] });
    if (requester.name === 'bob') await reply.whisper({ text: 'Only you: `/tour`' });
  },
  actions: {
    more: {
      who: 'anyone',
      answers: 'quiet',
      run: async ({ message }) => void (await edits?.(message)),
    },
  },
});
/** What the button does to its message. */
let edits: ((message: Parameters<Stage['platform']['adapter']['edit']>[0]) => Promise<void>) | undefined;

const said = (stage: Stage, at: Channel) =>
  stage.ofBot(at, { ephemeral: true }).filter(({ content }) => content !== '');
const answer = (stage: Stage, at: Channel) => stage.discord.until('the answer', () => said(stage, at)[0]);
const idOf = ({ discord }: Stage, scope: string) => String(discord.commands.list(scope)[0]?.id);
const linked = (id: string) =>
  `Try </tour:${id}>, **</tour:${id}>** or \`/tour text:x\`, not \`/nothing\` or \\\`/tour\\\`:\n\`\`\`\n\`/tour\`\n\`\`\``;

describe('names of commands in what the bot says', () => {
  it('are mentions that people can click, in answers, whispers, edits and direct messages', async () => {
    const stage = await startStage({ commands: [tour] });
    edits = (message) => stage.platform.adapter.edit(message, { text: 'Again: `/tour`' });
    const { ada, bob, channel, discord } = stage;
    const id = idOf(stage, 'global');
    bob.types(channel, { name: 'tour' });
    expect((await answer(stage, channel)).content).toBe(linked(id));
    const whisper = await discord.until('the whisper', () => said(stage, channel)[1]);
    expect(whisper.content).toBe(`Only you: </tour:${id}>`);
    ada.presses(said(stage, channel)[0]!, 'More');
    await discord.until('the edit', () => said(stage, channel)[0]?.content === `Again: </tour:${id}>`);
    ada.types(ada.direct(), { name: 'tour' });
    expect((await answer(stage, ada.direct())).content).toBe(linked(id));
  });

  it('are mentions after a restart, too, when nothing has to be registered', async () => {
    const stage = await startStage({ commands: [tour] });
    await stage.restart();
    await stage.discord.until(
      'the log',
      () => stage.logged.join('').split('commands are registered').length > 2,
    );
    expect(stage.discord.commands.writes).toBe(1);
    stage.ada.types(stage.channel, { name: 'tour' });
    expect((await answer(stage, stage.channel)).content).toBe(linked(idOf(stage, 'global')));
  });

  it('are mentions in the one server where the commands are registered, and plain elsewhere', async () => {
    const stage = await startStage({
      commands: [tour],
      guildId: (discord) => [...discord.world.guilds.keys()][0]!,
    });
    const { ada, channel, guild } = stage;
    ada.types(channel, { name: 'tour' });
    expect((await answer(stage, channel)).content).toBe(linked(idOf(stage, guild.id)));
    ada.writes(ada.direct(), 'hello');
    expect((await answer(stage, ada.direct())).content).toContain('`/ask`');
  });

  it('are plain while Discord has not said which ids they have', async () => {
    const stage = await startStage({ commands: [tour] });
    stage.discord.faults.next(
      'GET /applications/{application_id}/commands',
      { kind: 'error', status: 500 },
      5,
    );
    await stage.restart();
    stage.ada.types(stage.channel, { name: 'tour' });
    expect((await answer(stage, stage.channel)).content).toBe(written);
  });
});
