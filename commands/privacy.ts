import { defineCommand } from '../src/app/define-command.ts';
import { jobButton } from '../src/app/endings.ts';
import { fileOf } from '../src/port/index.ts';
import { words } from '../src/words/index.ts';

/** `/privacy`: what is kept about people, who get it as a file or have it deleted. */
export default defineCommand({
  name: 'privacy',
  localNames: { 'zh-CN': '隐私' },
  description: {
    en: 'What I keep about you, and how to export or delete it',
    'zh-CN': '我保存了你的哪些数据，如何导出或删除',
  },
  help: {
    en: 'On its own it says what I keep and for how long, with buttons to get all of it as a file or to delete it.',
    'zh-CN': '说明我保存什么、保存多久，并有按钮可以导出全部数据或将其删除。',
  },
  options: {},
  seenBy: 'requester',
  async run({ job, requester: { locale }, settings, reply }, { policies: { historyDays, privacy, terms } }) {
    const say = words(locale).privacy;
    const links = [
      ...(privacy === undefined ? [] : [`[${say.policy}](${privacy})`]),
      ...(terms === undefined ? [] : [`[${say.terms}](${terms})`]),
    ];
    const lines = [
      say.title,
      ...say.kept(historyDays, settings.values.keep_prompts),
      say.sent,
      ...(links.length > 0 ? [links.join(' · ')] : []),
    ];
    await reply.say({
      text: lines.join('\n'),
      buttons: [jobButton(job, 'export', say.export), jobButton(job, 'ask', say.erase)],
    });
  },
  actions: {
    export: {
      who: 'requester',
      answers: 'private',
      postsFiles: 'file',
      async run({ job, requester, reply }, { personalData }) {
        const text = words(requester.locale).privacy.exported;
        const bytes = await personalData.export(job.address, requester);
        const about = { name: 'my-data.json', contentType: 'application/json', kind: 'file' } as const;
        await reply.say({ text, files: [fileOf(bytes, { ...about, description: text })] });
      },
    },
    ask: {
      who: 'requester',
      answers: 'private',
      async run({ job, requester, reply }) {
        const say = words(requester.locale).privacy;
        await reply.say({
          text: say.confirm,
          buttons: [{ ...jobButton(job, 'erase', say.erase), style: 'danger' }],
        });
      },
    },
    erase: {
      who: 'requester',
      answers: 'private',
      async run({ job, requester, reply }, { personalData }) {
        await personalData.delete(job.address, requester.id);
        await reply.say({ text: words(requester.locale).privacy.erased });
      },
    },
  },
});
