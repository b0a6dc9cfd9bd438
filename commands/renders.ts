import { defineCommand } from '../src/app/define-command.ts';
import { titleOf } from '../src/app/format-text.ts';
import { actionId } from '../src/port/index.ts';
import { spanInWords, words } from '../src/words/index.ts';

/** As many as every platform shows under a message. */
const mostButtons = 25;

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
  async run({ address, requester: { id, locale }, reply }, { renders }) {
    const say = words(locale);
    const underWay = await renders.underWayAt(address, id);
    const lines = underWay.map(({ kind, job, elapsed, isQueued, isHeld }, index) => {
      const about = titleOf(String(job?.options.prompt ?? ''), 80);
      const line = say.renderLine(kind, about, job?.requester.name ?? '', spanInWords(elapsed, locale));
      if (isHeld) return `${line} ${say.held(index + 1)}`;
      return isQueued ? `${line} ${say.queued(index + 1)}` : line;
    });
    const buttons = underWay
      .map((one, index) => ({ ...one, number: index + 1 }))
      .filter(({ isQueued, isHeld }) => isQueued || isHeld)
      .slice(0, mostButtons)
      .map(({ id, kind, number, isHeld }) => ({
        id: actionId(kind === 'image' ? 'imagine' : 'video', isHeld ? 'show' : 'cancel', id),
        label: isHeld ? say.showNumbered(number) : say.cancelNumbered(number),
      }));
    await reply.say({ text: lines.length > 0 ? lines.join('\n') : say.noRenders, buttons });
  },
});
