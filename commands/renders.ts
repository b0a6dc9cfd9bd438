import { defineCommand } from '../src/app/define-command.ts';
import { titleOf } from '../src/lib/text.ts';
import { actionId, type Job } from '../src/port/index.ts';
import { spanInWords, words } from '../src/words/index.ts';

/** As many as every platform shows under a message. */
const mostButtons = 25;

/** What makes each kind. */
const commandOf = { image: 'imagine', video: 'video', answer: 'ask', clip: 'speak' } as const;

/** A private answer or clip that couldn't be sent. */
function heldAnswer(job: Job, now: number) {
  const kind = job.command === commandOf.answer ? ('answer' as const) : ('clip' as const);
  return { kind, id: job.id, job, isQueued: false, isHeld: true, elapsed: Math.max(0, now - job.createdAt) };
}

/** `/renders`: the images and videos in progress here. */
export default defineCommand({
  name: 'renders',
  localNames: { 'zh-CN': '制作中' },
  description: { en: 'Images and videos in progress here', 'zh-CN': '这里正在制作的图片和视频' },
  help: {
    en: 'Images and videos in progress in this channel and its threads, oldest first. Also your answers and clips that I couldn’t send you: I keep them for a week.',
    'zh-CN':
      '这个频道及其消息列中正在制作的图片和视频，最早的在前。没法发给你的回答和语音也在这里，保留一周。',
  },
  options: {},
  seenBy: 'requester',
  async run({ address, requester: { id, locale }, reply }, { renders, deliveries, clock }) {
    const say = words(locale);
    const held = (await deliveries.heldOf(address, id)).map((job) => heldAnswer(job, clock.now()));
    const all = [...(await renders.underWayAt(address, id)), ...held];
    const lines = all.map(({ kind, job, elapsed, isQueued, isHeld }, index) => {
      const about = titleOf(String(job?.options.prompt ?? job?.options.text ?? ''), 80);
      const line = say.renderLine(kind, about, job?.requester.name ?? '', spanInWords(elapsed, locale));
      if (isHeld) return `${line} ${say.held(index + 1)}`;
      return isQueued ? `${line} ${say.queued(index + 1)}` : line;
    });
    const buttons = all
      .map((one, index) => ({ ...one, number: index + 1 }))
      .filter(({ isQueued, isHeld }) => isQueued || isHeld)
      .slice(0, mostButtons)
      .map(({ id, kind, number, isHeld }) => ({
        id: actionId(commandOf[kind], isHeld ? 'show' : 'cancel', id),
        label: isHeld ? say.showNumbered(number) : say.cancelNumbered(number),
      }));
    await reply.say({ text: lines.length > 0 ? lines.join('\n') : say.noRenders, buttons });
  },
});
