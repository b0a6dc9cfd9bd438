import { defineCommand } from '../src/app/define-command.ts';
import { titleOf } from '../src/app/format-text.ts';
import { spanInWords, words } from '../src/words/index.ts';

/** `/renders`: the images and videos in progress here. */
export default defineCommand({
  name: 'renders',
  localNames: { 'zh-CN': '制作中' },
  description: { en: 'Images and videos in progress here', 'zh-CN': '这里正在制作的图片和视频' },
  help: {
    en: 'Images and videos in progress in this channel and its threads, oldest first.',
    'zh-CN': '这个频道及其消息列中正在制作的图片和视频，最早的在前。',
  },
  options: {},
  seenBy: 'requester',
  async run({ address, requester: { locale }, reply }, { renders }) {
    const say = words(locale);
    const underWay = await renders.underWayAt(address);
    const lines = underWay.map(({ kind, job, elapsed }) => {
      const about = titleOf(String(job?.options.prompt ?? ''), 80);
      return say.renderLine(kind, about, job?.requester.name ?? '', spanInWords(elapsed, locale));
    });
    await reply.say({ text: lines.length > 0 ? lines.join('\n') : say.noRenders });
  },
});
