import { expect, it } from 'vitest';
import { words } from '../../../src/words/index.ts';
import { labelsOf, passes, startSlackScene, textOf } from '../support/slack-scene.ts';

// Fact: A message of another app’s bot has its `bot_id` and user; webhooks and workflows have the subtype
// `bot_message` and no user (events/message, bot_message)
it('other bots are answered only where administrators let them, and no more once only bots talk there', async () => {
  const scene = await startSlackScene('socket');
  const { ada, general, slack, workspace, said, until, saying } = scene;
  const [parrot, echo] = ['parrot', 'echo'].map((name) => slack.person(workspace, { name, bot: true }));
  const chief = slack.person(workspace, { name: 'chief', admin: true });
  for (const { user } of [parrot!, echo!, chief]) general.members.add(user.id);
  const asks = async (bot = parrot!, thread?: string) => {
    const before = said().length;
    const told = bot.says(`${ada.bot} repeat: hello`, general, thread === undefined ? {} : { thread });
    for (const { done } of told.deliveries) await done;
    await passes(scene, 1);
    return said().slice(before);
  };
  expect(await asks()).toEqual([]);
  await chief.types('/troupe settings --answer_bots on', general);
  await until('the setting', () => chief.whispers.length > 0);
  const first = await asks();
  expect(first.map(labelsOf)[0]).toContain('Regenerate');
  for (const bot of [echo, parrot, echo, parrot, echo])
    expect(await asks(bot, bot === echo ? first[0]!.threadTs : undefined)).toHaveLength(1);
  const [word] = await asks();
  expect(textOf(word)).toContain(words('en').onlyBots);
  expect(await asks(echo)).toEqual([]);
  ada.says(`${ada.bot} repeat: enough`, general);
  await saying('enough');
  expect(await asks()).toHaveLength(1);
});

it('another bot’s mention in its blocks or attachments, beside which it has no text, is answered where bots are', async () => {
  const scene = await startSlackScene('socket');
  const { ada, general, slack, workspace, saying } = scene;
  const parrot = slack.person(workspace, { name: 'parrot', bot: true });
  const chief = scene.chief();
  general.members.add(parrot.user.id);
  await chief.types('/troupe settings --answer_bots on', general);
  await scene.until('the setting', () => chief.whispers.length > 0);
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
  parrot.says('', general, { blocks: [section(`${ada.bot} repeat: green`)] });
  await saying('green');
  parrot.says('', general, { attachments: [{ id: 1, blocks: [section(`${ada.bot} repeat: blue`)] }] });
  await saying('blue');
});
