import type { Message } from '../fakes/discord/index.ts';
import { shown } from '../fakes/slack/index.ts';
import { adapterContract } from './adapter-contract.ts';
import { startStage as startConsole } from './console/support/stage.ts';
import { echo } from './discord/support/commands.ts';
import { startStage as startDiscord } from './discord/support/stage.ts';
import { startStage as startSlack } from './slack/support/stage.ts';

adapterContract('the console', async () => {
  const stage = await startConsole();
  const { adapter } = stage.platform;
  const address = await stage.address();
  const visitor = await stage.visit();
  return {
    adapter,
    address,
    person: 'you',
    async seen(thread) {
      const messages = await visitor.messages(thread?.thread ?? address.channel);
      return messages.map((message) => ({
        text: JSON.stringify(message.body),
        buttons: (message.buttons ?? []).map(({ label }) => label),
        files: (message.files ?? []).map(({ name }) => name),
        notified: message.mention ? ['you'] : [],
      }));
    },
    settled: (work) => work,
  };
});

adapterContract('Discord', async () => {
  const stage = await startDiscord({ commands: [echo] });
  const { discord, guild, channel, ada } = stage;
  const labels = (message: Message) =>
    message.components.flatMap((row) => (row.components as { label: string }[]).map(({ label }) => label));
  return {
    adapter: stage.platform.adapter,
    address: { platform: 'discord', workspace: guild.id, channel: channel.id },
    person: ada.user.id,
    async seen(thread) {
      return discord
        .messagesIn({ id: thread?.thread ?? channel.id })
        .filter(
          ({ authorId, content, files }) => authorId === discord.world.bot.id && (content || files.length),
        )
        .map((message) => ({
          text: message.content,
          buttons: labels(message),
          files: message.files.map(({ name }) => name),
          notified: [...message.mentions, ...(message.mentionEveryone ? ['everyone'] : [])],
        }));
    },
    settled: (work) => work,
  };
});

adapterContract('Slack', async () => {
  const stage = await startSlack();
  const { workspace, general, ada } = stage;
  return {
    adapter: stage.platform.adapter,
    address: { platform: 'slack', workspace: workspace.id, channel: general.id },
    person: ada.user.id,
    async seen(thread) {
      // A film stands in a message of its own, above the words that belong to it.
      return stage.posts(general, thread?.thread).map((message) => ({
        text: shown(message),
        buttons: message.blocks.flatMap(({ type, elements }) =>
          type === 'actions' ? (elements as { text: { text: string } }[]).map(({ text }) => text.text) : [],
        ),
        files: [
          ...message.files,
          ...message.blocks.flatMap(({ slack_file }) =>
            slack_file ? [(slack_file as { id: string }).id] : [],
          ),
        ].map((id) => workspace.files.get(id)?.name ?? ''),
        notified: message.pings,
      }));
    },
    async settled(work) {
      let over = false;
      const done = work.finally(() => {
        over = true;
      });
      done.catch(() => {});
      await stage.until(() => over, 600_000);
      return done;
    },
  };
});
