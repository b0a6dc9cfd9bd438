import { expect, test } from 'vitest';
import { actionId, fileOf, type HomePage, type PlatformError } from '../../../../src/port/index.ts';
import { image } from '../../../fakes/outgoing-files.ts';
import { blocksAsText, type FakePerson, type Json, type View } from '../../../fakes/slack/index.ts';
import { says, type Stage, type StageOptions, startStage } from '../support/stage.ts';

let stage: Stage;

let used: string;
let pages: number;
const page: HomePage = async ({ requester: { name, locale, administrator } }) => {
  pages++;
  return [
    {
      title: locale === 'zh-CN' ? '你的积分' : 'Your credits',
      text: `**${name}** used ${used}. Type \`/usage period:week\`.`,
      buttons: [{ id: 'usage', label: 'Details', call: { command: 'usage', options: { period: 'week' } } }],
    },
    ...(administrator
      ? [
          {
            title: 'For administrators',
            text: 'Everything here.',
            buttons: [
              {
                id: 'settings',
                label: 'Settings',
                call: { command: 'settings', options: { scope: 'workspace' } },
              },
            ],
          },
        ]
      : []),
  ];
};

async function begin(options: StageOptions = {}): Promise<void> {
  used = '3';
  pages = 0;
  stage = await startStage({ homePage: page, ...options });
}

const homeOf = (person: FakePerson) => person.home as View;
const formOf = (person: FakePerson) => person.form as View;
const published = () => stage.slack.api.of('views.publish');
const textOf = (view: { readonly content: Json } | undefined) =>
  view && blocksAsText(view.content.blocks as Json[]);

async function opens(person: FakePerson): Promise<void> {
  await person.opensHome().done;
  await stage.quiet();
}

test('shows each person their own page, in their language, with commands as Slack has them', async () => {
  await begin();
  const { ada, ben, chief } = stage;
  for (const person of [ada, ben, chief]) await opens(person);
  expect(textOf(ada.home)).toContain('*ada* used 3. Type `/troupe usage --period week`.');
  expect(textOf(ada.home)).toContain('Your credits');
  expect(textOf(ben.home)).toContain('你的积分');
  expect(textOf(ada.home)).not.toContain('For administrators');
  expect(textOf(chief.home)).toContain('For administrators');
});

test('is sent again only where something has changed, or somebody else changed it', async () => {
  await begin();
  const { ada } = stage;
  await opens(ada);
  await opens(ada);
  expect(published()).toHaveLength(1);
  used = '4';
  await opens(ada);
  expect(textOf(ada.home)).toContain('used 4');
  expect(published()).toHaveLength(2);
  // The app was installed again: Slack shows no view.
  stage.slack.views.forgetHome(stage.workspace.id, ada.user.id);
  await opens(ada);
  expect(textOf(ada.home)).toContain('used 4');
});

test('opened many times at once, it’s made twice at most', async () => {
  await begin();
  await Promise.all(Array.from({ length: 20 }, () => stage.ada.opensHome().done));
  await stage.quiet();
  expect(pages).toBeLessThanOrEqual(2);
  expect(published()).toHaveLength(1);
});

test('a view that changed meanwhile is replaced by what is so now', async () => {
  await begin();
  await opens(stage.ada);
  used = '5';
  stage.slack.api.faults.plan('views.publish', { kind: 'error', code: 'hash_conflict' });
  await opens(stage.ada);
  expect(textOf(stage.ada.home)).toContain('used 5');
});

test('where the app’s settings have no Home tab that is remembered, and the log says what to do; once that’s done, it shows', async () => {
  await begin();
  stage.slack.world.readings.homeTab = 'refused';
  await opens(stage.ada);
  await opens(stage.ada);
  expect(published()).toHaveLength(1);
  expect(stage.log.filter(({ message }) => message.includes('page App Home'))).toHaveLength(1);
  stage.slack.world.readings.homeTab = 'works';
  await stage.pass(10 * 60_000);
  await opens(stage.ada);
  expect(textOf(stage.ada.home)).toContain('used');
});

test('a button runs its command in a window, and the page then shows what has changed', async () => {
  const seen: unknown[] = [];
  await begin({
    scripts: {
      usage: async ({ job, reply }) => {
        seen.push([job.options, job.address.channel]);
        used = '9';
        await reply.say({
          text: '**9 credits**',
          buttons: [{ id: actionId('usage', 'csv', job.id), label: 'As CSV' }],
        });
      },
    },
    presses: {
      'usage.csv': async ({ reply }) => {
        const about = { name: 'a.csv', contentType: 'text/csv', kind: 'file', description: 'a' } as const;
        await reply.say({ text: '1 row', files: [fileOf(Buffer.from('a'), about)] });
      },
    },
  });
  const { ada } = stage;
  await opens(ada);
  const outcome = await ada.pressesIn(homeOf(ada), 'Details');
  await stage.quiet();
  expect(outcome.acknowledged.ok).toBe(true);
  expect(seen).toEqual([[{ period: 'week' }, ada.directMessages.id]]);
  expect(textOf(ada.form)).toBe('*9 credits*\nAs CSV');
  expect(textOf(ada.home)).toContain('used 9');
  // Nothing stands in the direct messages.
  expect(stage.texts(ada.directMessages)).toEqual([]);
  // A file is shown in a message a while after it was uploaded.
  await ada.pressesIn(formOf(ada), 'As CSV');
  await stage.pass(10_000);
  expect(textOf(ada.form)).toBe('1 row\nThe file is in our direct messages.');
  expect(stage.posts(ada.directMessages).flatMap(({ files = [] }) => files)).toHaveLength(1);
});

test('a press that Slack brings twice is answered once', async () => {
  let runs = 0;
  await begin({
    scripts: {
      usage: async ({ reply }) => {
        runs++;
        await reply.say({ text: 'x' });
      },
    },
  });
  await opens(stage.ada);
  stage.slack.deliverer.copies = 2;
  await stage.ada.pressesIn(homeOf(stage.ada), 'Details');
  await stage.quiet();
  expect(runs).toBe(1);
});

test('a picture doesn’t fit into a window, and the command goes on without', async () => {
  const refused: unknown[] = [];
  await begin({
    scripts: {
      usage: async ({ reply }) => {
        await reply.say({ text: 'x', files: [image] }).catch((error) => refused.push(error));
        await reply.say({ text: 'in words' });
      },
    },
  });
  await opens(stage.ada);
  await stage.ada.pressesIn(homeOf(stage.ada), 'Details');
  await stage.quiet();
  expect((refused[0] as PlatformError).kind).toBe('file-not-allowed');
  expect(textOf(stage.ada.form)).toBe('in words');
});

test('where Slack took too long to open a window, the answer comes in the direct messages', async () => {
  await begin({ scripts: { usage: says('late') } });
  await opens(stage.ada);
  stage.slack.api.faults.plan('views.open', { kind: 'error', code: 'expired_trigger_id' });
  await stage.ada.pressesIn(homeOf(stage.ada), 'Details');
  await stage.pass(5_000);
  expect(stage.texts(stage.ada.directMessages)).toEqual(['late']);
});

test('a button for administrators that somebody else still sees says who may use it', async () => {
  await begin();
  const { chief } = stage;
  await opens(chief);
  Object.assign(chief.user, { admin: false });
  await stage.pass(11 * 60_000);
  await chief.pressesIn(homeOf(chief), 'Settings');
  await stage.quiet();
  expect(textOf(chief.form)).toBe('Only administrators can do that here.');
});

test('a button runs what the bot wrote into the view, whatever a press says of it', async () => {
  const ran: unknown[] = [];
  await begin({
    scripts: {
      usage: async ({ job, requester, reply }) => {
        ran.push([job.options, requester.name]);
        await reply.say({
          text: 'used',
          buttons: [{ id: actionId('usage', 'csv', job.id), label: 'As CSV' }],
        });
      },
      settings: async () => void ran.push('settings'),
    },
    presses: { 'usage.csv': async () => void ran.push('csv') },
  });
  const { ada, chief } = stage;
  await opens(ada);
  const command = { command: 'settings', options: { scope: 'workspace' } };
  const requester = { id: chief.user.id, name: 'chief', locale: 'en', administrator: true, moderator: true };
  await ada.pressesIn(homeOf(ada), 'Details', { value: JSON.stringify({ ...command, requester }) });
  await stage.quiet();
  expect(ran).toEqual([[{ period: 'week' }, 'ada']]);
  const [, csv = ''] = /"action_id":"(usage\.csv:[^"]+)"/.exec(JSON.stringify(formOf(ada).content)) ?? [];
  for (const forged of [{ action_id: 'home:settings', value: JSON.stringify(command) }, { action_id: csv }]) {
    await ada.pressesIn(homeOf(ada), 'Details', forged);
    await stage.quiet();
    expect(textOf(formOf(ada))).toContain('This button has expired');
  }
  expect(ran).toHaveLength(1);
});

test('a window’s buttons open forms above it, change it, and run commands in it', async () => {
  const entered: unknown[] = [];
  await begin({
    scripts: {
      settings: async ({ job, reply }) => {
        const button = (action: string, label: string) => ({
          id: actionId('settings', action, job.id),
          label,
        });
        const { scope } = job.options as { scope: string };
        await reply.say({
          text: `for ${scope}`,
          buttons: [button('answers', 'Answers'), button('channel', 'Channel')],
        });
      },
    },
    forms: {
      'settings.answers': () => ({
        title: 'Answers',
        command: 'settings',
        fields: ['model', 'persona'],
        values: {},
      }),
    },
    presses: {
      'settings.answers': async ({ message, values }) => {
        entered.push(values);
        used = '0';
        await stage.platform.adapter.edit(message, { text: 'changed' });
      },
    },
  });
  const { chief } = stage;
  await opens(chief);
  await chief.pressesIn(homeOf(chief), 'Settings');
  await stage.quiet();
  expect(textOf(chief.form)).toBe('for workspace\nAnswers\nChannel');
  await chief.pressesIn(formOf(chief), 'Channel');
  await stage.quiet();
  expect(textOf(chief.form)).toBe('for channel\nAnswers\nChannel');
  await chief.pressesIn(formOf(chief), 'Answers');
  await stage.quiet();
  expect(stage.slack.views.of(chief.user.id)).toHaveLength(2);
  await chief.sends({ persona: 'Be brief.' });
  await stage.quiet();
  expect(entered).toEqual([{ persona: 'Be brief.' }]);
  expect(stage.slack.views.of(chief.user.id)).toHaveLength(1);
  expect(textOf(chief.form)).toBe('changed');
  expect(textOf(chief.home)).toContain('used 0');
});

test('what another process has shown meanwhile is replaced, too', async () => {
  await begin({ twice: true });
  const { ada } = stage;
  await opens(ada);
  const refresh = async (to: 0 | 1, now: string) => {
    stage.to = to;
    used = now;
    await ada.pressesIn(homeOf(ada), 'Details');
    await stage.quiet();
    expect(textOf(homeOf(ada))).toContain(`used ${now}`);
  };
  await refresh(1, '4');
  await refresh(0, '3');
});
