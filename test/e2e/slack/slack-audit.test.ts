import { expect, it } from 'vitest';
import { type FakePerson, type Message, shown, type Workspace } from '../../fakes/slack/index.ts';
import { labelsOf, type SlackScene, startSlackScene, textOf } from '../support/slack-scene.ts';

/** What administrators of a workspace see of what people do, and how people report what the bot made. */

const told = (person: FakePerson, words: string) =>
  person.whispers.filter((one) => JSON.stringify(one).includes(words)).length;

async function reports(
  scene: SlackScene,
  person: FakePerson,
  message: Message,
  entries: Record<string, string>,
  says: string,
  by: 'menu' | 'vote' = 'menu',
) {
  const before = told(person, says);
  if (by === 'menu') await person.picks(message, 'Report this');
  else {
    await person.presses(message, 'Bad answer');
    const isThanks = (one: unknown) => JSON.stringify(one).includes('谢谢反馈');
    const thanks = await scene.until('the thanks', () => person.whispers.find(isThanks));
    await person.presses(thanks as never, '举报此消息');
  }
  await scene.until('the form', () => person.form);
  await person.sends(entries);
  await scene.until(says, () => told(person, says) > before);
}

it('an audit channel, chosen in a form, has a line for what ended and each report, and pings nobody', async () => {
  const scene = await startSlackScene('socket');
  const { ada, ben, general, slack, workspace, until, whispered, fills } = scene;
  const chief = scene.chief();
  const shut = slack.channel(workspace, 'shut', [chief], { withoutBot: true });
  const audit = slack.channel(workspace, 'audit', [chief]);
  const texts = (channel = audit) => scene.said(channel).map(textOf);
  await ada.types('/ask Hello secret', general);
  const answer = await scene.labelled('Regenerate');
  await chief.types(`/troupe settings --audit_channel ${shut.id}`, general);
  await until('why not', () => told(chief, 'Nothing was changed') > 0);
  await chief.types('/troupe settings --scope workspace', general);
  const page = await whispered(chief, 'Moderation');
  await fills(chief, chief.presses(page as never, 'Moderation'), { audit_channel: audit.id });
  await until('the first words', () => texts().some((text) => text.includes('my audit channel now')));
  await ben.types('/ask Hello secret', general);
  await until('the line', () => texts().some((text) => text.includes('ben')));
  await reports(
    scene,
    ben,
    answer,
    { reason: '<!channel> <https://evil.example|x>' },
    '举报已经发给',
    'vote',
  );
  await reports(scene, ben, answer, {}, '你已经举报过了');
  await until('the report', () => texts().some((text) => text.includes('🚩')));
  const [begun, lines = '', report] = texts();
  const line = scene.said(audit)[2] as Message;
  await chief.presses(line, 'Delete it');
  await until('who did', () => labelsOf(line).includes('Deleted by chief'));
  await until('the deletion', () => !scene.said().includes(answer));
  expect(begun).toContain('never what they wrote');
  const who = ({ user }: FakePerson) => `**${user.name}** (\`${user.id}\`)`;
  const link = (message: Message) =>
    `https://acme.slack.com/archives/${general.id}/p${message.ts.replace('.', '')}`;
  expect(lines.split('\n')).toEqual([
    `⚙️ ${who(chief)} changed \`audit_channel\``,
    expect.stringContaining(`✅ ${who(ben)} · \`/ask svc-llm-1.5\` · general · `),
  ]);
  expect(report).toContain(
    `🚩 ${who(ben)} reported [something I made](${link(answer)}) · for ${who(ada)} · `,
  );
  // Of people's words only the reason, as code: Slack notifies nobody.
  const sent = JSON.stringify(scene.said(audit));
  expect(sent).not.toMatch(/secret|<!channel>|<@/);
});

it('a report in direct messages comes to who installed the app there, not to who did elsewhere', async () => {
  const scene = await startSlackScene('oauth');
  const { slack, said, until } = scene;
  const [elsewhere, home, sister] = [
    slack.addWorkspace('elsewhere'),
    slack.addWorkspace('home', 'E0HOME'),
    slack.addWorkspace('sister', 'E0HOME'),
  ];
  const boss = (workspace: Workspace) => slack.person(workspace, { name: 'boss', admin: true, owner: true });
  const [stranger, hana] = [boss(elsewhere), boss(home)];
  await scene.installs(stranger, false);
  await scene.installs(hana, true);
  const reportsTo = (...people: readonly FakePerson[]) =>
    people.flatMap((person) => said(person.directMessages).map(textOf));
  for (const [index, workspace] of [home, sister].entries()) {
    const zoe = slack.person(workspace, { name: 'zoe' });
    await zoe.types('/ask repeat: Hello', zoe.directMessages);
    await scene.labelled('Regenerate', zoe.directMessages);
    await zoe.types('/troupe report It knows of the merger', zoe.directMessages);
    await until('the report', () => reportsTo(stranger, hana).length > index);
  }
  expect(reportsTo(stranger)).toEqual([]);
  expect(reportsTo(hana)).toEqual([expect.stringContaining('merger'), expect.stringContaining('merger')]);
});

it('an audit channel and administrators hear of no direct messages of several people, nor their names', async () => {
  const scene = await startSlackScene('socket');
  const { slack, workspace, general, ada, ben, until, whispered } = scene;
  const chief = scene.chief();
  const audit = slack.channel(workspace, 'audit', [chief]);
  const group = slack.channel(workspace, 'mpdm-ada--ben-1', [ada, ben], { kind: 'mpim' });
  const choices = `--audit_channel ${audit.id} --channel_credits 22 --blocked_words tar`;
  await chief.types(`/troupe settings --scope workspace ${choices}`, general);
  const lines = () => scene.said(audit).map(textOf);
  await until('the first words', () => lines().length === 1);
  await ada.types('/ask tar', group);
  await ada.types('/imagine a hat', group);
  await until('the image', () => scene.said(group).length > 0);
  await until('the notice', () => scene.said(chief.directMessages).length > 0);
  await ben.types('/ask Hello', general);
  await until('the line', () => lines().some((text) => text.includes('ben')));
  await chief.types('/troupe usage --by channel', general);
  const usage = await whispered(chief, 'As CSV');
  expect(lines().join('\n')).not.toMatch(/ada|mpdm/);
  const toChief = [usage, ...scene.said(chief.directMessages)];
  expect(JSON.stringify(toChief)).toContain('budget');
  expect(JSON.stringify(toChief)).toContain(group.id);
  expect(JSON.stringify(toChief)).not.toContain('mpdm');
});

it('direct messages of several people are called by who is in them, for these alone', async () => {
  const { slack, workspace, ada, ben, said, until, whispered } = await startSlackScene('socket');
  const group = slack.channel(workspace, 'mpdm-ada--ben-1', [ada, ben], { kind: 'mpim' });
  await ada.types('/imagine a hat', group);
  await until('the image', () => said(group).some((one) => labelsOf(one).includes('Again')));
  await ada.types('/troupe usage --by channel', group);
  expect(shown(await whispered(ada, 'Total'))).toContain('1. ada, ben: *22*');
});

it('a report in direct messages of several people comes to an operator, not to administrators, who aren’t in them', async () => {
  const scene = await startSlackScene('oauth');
  const { slack, said, saying, until } = scene;
  const home = slack.addWorkspace('home');
  const [hana, chief] = [
    slack.person(home, { name: 'hana', admin: true, owner: true }),
    slack.person(home, { name: 'chief', admin: true }),
  ];
  await scene.installs(hana, false);
  const zoe = slack.person(home, { name: 'zoe' });
  const group = slack.channel(home, 'mpdm-zoe--hana-1', [zoe, hana], { kind: 'mpim' });
  const [open, audit] = [slack.channel(home, 'open', [chief]), slack.channel(home, 'audit', [chief])];
  await chief.types(`/troupe settings --scope workspace --audit_channel ${audit.id}`, open);
  await saying('my audit channel now', audit);
  await zoe.types('/ask repeat: Hello', group);
  await reports(
    scene,
    zoe,
    await scene.labelled('Regenerate', group),
    { reason: 'the merger' },
    'your report',
  );
  const report = await saying('the merger', hana.directMessages);
  expect(JSON.stringify([...said(audit), ...said(chief.directMessages)])).not.toContain('merger');
  await chief.presses(report, 'Delete it');
  await hana.presses(report, 'Delete it');
  await until('the deletion', () => said(group).length === 0);
  await until('who did', () => labelsOf(report).includes('Deleted by hana'));
});

it('an audit channel doesn’t name private channels, and nobody who isn’t in them sees their names', async () => {
  const scene = await startSlackScene('socket');
  const { slack, workspace, ada, ben, general, said, saying, whispered } = scene;
  const [chief, other] = [scene.chief(), slack.person(workspace, { name: 'other', admin: true })];
  const audit = slack.channel(workspace, 'audit', [chief]);
  const layoffs = slack.channel(workspace, 'layoffs', [ada, other], { kind: 'group' });
  const choices = `--audit_channel ${audit.id} --channel_credits 22`;
  await chief.types(`/troupe settings --scope workspace ${choices}`, general);
  await saying('my audit channel now', audit);
  await ada.types('/imagine a hat', layoffs);
  const notice = await saying('budget', chief.directMessages);
  await ben.types('/ask Hello', general);
  await saying('ben', audit);
  const lines = said(audit).map(textOf).join('\n');
  expect(lines).toContain(layoffs.id);
  expect(lines).toContain('general');
  await chief.types('/troupe usage --by channel', general);
  await other.types('/troupe usage --by channel', general);
  const [toChief, toOther] = [await whispered(chief, 'As CSV'), await whispered(other, 'As CSV')];
  expect(JSON.stringify(toChief)).toContain(layoffs.id);
  expect(JSON.stringify(toOther)).toContain('layoffs');
  expect(JSON.stringify([lines, toChief, notice])).not.toContain('layoffs');
});
