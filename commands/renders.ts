import { defineCommand } from '../src/app/define-command.ts';
import { promptOf } from '../src/app/job-context.ts';
import { nameInLine } from '../src/app/presenters/usage-report.ts';
import { titleOf } from '../src/lib/text.ts';
import { actionId, type Job } from '../src/port/index.ts';
import { spanInWords, words } from '../src/words/index.ts';

/** As many as every platform shows under a message. */
const mostButtons = 25;

/** What makes each kind. */
const commandOf = { image: 'imagine', video: 'video', answer: 'ask', clip: 'speak' } as const;

/** An answer or clip that could be posted nowhere. */
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
    en: 'Images and videos in progress in this channel and its threads, oldest first. Also what’s ready and I couldn’t post or send you, wherever you asked for it: I keep it for a week.',
    'zh-CN':
      '这个频道及其消息列中正在制作的图片和视频，最早的在前。已完成但发不出去、也没法发给你的内容也在这里，无论是在哪里要的，保留一周。',
  },
  options: {},
  seenBy: 'requester',
  async run({ address, requester, reply }, { renders, deliveries, clock }) {
    const { id, locale } = requester;
    const say = words(locale);
    const here = await renders.underWayAt(address, id);
    const others = await renders.underWayOf({ address, requester }, mostButtons);
    const elsewhere = others.filter((one) => one.isHeld && !here.some((known) => known.id === one.id));
    const answers = (await deliveries.heldOf(address, id)).map((job) => heldAnswer(job, clock.now()));
    const all = [...here, ...elsewhere, ...answers];
    const lines = all.map(({ kind, job, elapsed, isQueued, isHeld }, index) => {
      const about = titleOf(job ? promptOf(job) : '', 80);
      const who = nameInLine(job?.requester.name ?? '');
      const line = say.renderLine(kind, about, who, spanInWords(elapsed, locale));
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
