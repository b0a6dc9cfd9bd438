import { z } from 'zod';
import { defineCommand } from '../src/app/define-command.ts';
import { reportThis } from '../src/app/inputs/chosen-message.ts';
import { deleteReported } from '../src/app/result-actions.ts';
import { words } from '../src/words/index.ts';

/** `/report`: tells those who look after a place of something that the bot made. */
export default defineCommand({
  name: 'report',
  localNames: { 'zh-CN': '举报' },
  description: { en: 'Report something I made to the administrators', 'zh-CN': '向管理员举报我生成的内容' },
  help: {
    en: 'Choose *Report this* in the menu of one of my messages. Administrators get a link to it and your reason. On its own, `/report` is about the latest I made for you here.',
    'zh-CN':
      '在我的某条消息的菜单里选择“举报此消息”。管理员会收到它的链接和你的理由。单独用 `/report` 时，举报的是我在这里最近给你生成的内容。',
  },
  options: {
    reason: {
      type: 'text',
      maxCharacters: 500,
      description: { en: 'What’s wrong with it, if you want to say', 'zh-CN': '有什么问题，可不填' },
    },
    anonymous: {
      type: 'boolean',
      description: {
        en: 'Whether administrators aren’t told who reports it',
        'zh-CN': '是否不告诉管理员是谁举报的',
      },
    },
  },
  state: z.object({
    /** The message that was chosen, or the job whose button was pressed. */
    reported: z.string().exactOptional(),
    reported_job: z.string().exactOptional(),
    reported_link: z.string().exactOptional(),
  }),
  textOption: 'reason',
  seenBy: 'requester',
  fromMessage: {
    label: { en: 'Report this', 'zh-CN': '举报此消息' },
    description: { en: 'Reports this message to the administrators', 'zh-CN': '向管理员举报这条消息' },
    fields: ['reason', 'anonymous'],
    begin: reportThis,
  },
  actions: { delete: deleteReported },
  async run({ job, options, requester, reply }, { reports }) {
    const { reported, reported_link: link, reported_job, reason = '', anonymous = false } = options;
    const what = {
      ...(reported !== undefined && { message: reported }),
      ...(link !== undefined && { link }),
    };
    const about = reported_job === undefined ? what : { job: reported_job };
    const outcome = await reports.take(job, { ...about, reason, isAnonymous: anonymous });
    const { reporting } = words(requester.locale);
    const isLatest = reported === undefined && reported_job === undefined && outcome === 'sent';
    await reply.say({ text: isLatest ? reporting.sentLatest : reporting[outcome] });
  },
});
