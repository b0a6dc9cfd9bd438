import { accepted, type Check, differs, fail, type Outcome, pass, worst } from './check.ts';
import { findId, findResult, findState, type FoundString, shapeOf } from './find.ts';
import type { CheckedService } from './service.ts';

const images = '/images/generations';
const videos = '/videos';
const prompt = 'A red circle on white';
const shortest = { prompt, duration: 4, resolution: '480p', generate_audio: false };
const pollSeconds = 3;
const mostPolls = 300;
const failedWords = /fail|error|cancel|reject|expire/i;

/** One image each way, and the cheapest video there is. */
export const taskChecks: readonly Check[] = [
  makes('an image comes as base64 where nothing else is asked for', inlineImage),
  makes('an image comes as an address where url is asked for', linkedImage),
  makes('with async true an image is a task, polled by id until it is ready', async (service) => {
    return followTask(service, images, { prompt, async: true, response_format: 'url' }, isImage);
  }),
  makes('a video is a task, polled by id until it is ready', async (service) => {
    return followTask(service, videos, shortest, isVideo);
  }),
];

function makes(says: string, run: Check['run']): Check {
  return { section: 4, says, kind: 'paid', run };
}

async function inlineImage(service: CheckedService): Promise<Outcome> {
  const answer = await service.send('POST', images, { body: { prompt } });
  const found = findResult(answer.json);
  if (!found) return worst(accepted(answer), fail(`no image in ${shapeOf(answer.json)}`));
  if (/^https?:/.test(found.value)) return fail(`an address in ${found.path}, not base64`);
  const bytes = Buffer.from(found.value.replace(/^data:[^,]*,/, ''), 'base64');
  return worst(accepted(answer), isImage(bytes), usualPlace(found, 'data.0.b64_json'));
}

async function linkedImage(service: CheckedService): Promise<Outcome> {
  const answer = await service.send('POST', images, { body: { prompt, response_format: 'url' } });
  const found = findResult(answer.json);
  if (!found) return worst(accepted(answer), fail(`no image in ${shapeOf(answer.json)}`));
  return worst(accepted(answer), await judgeResult(service, found, isImage), usualPlace(found, 'data.0.url'));
}

async function followTask(
  service: CheckedService,
  path: string,
  body: object,
  judge: (bytes: Buffer) => Outcome,
): Promise<Outcome> {
  const created = await service.send('POST', path, { body });
  const id = findId(created.json);
  if (!id) return worst(accepted(created), fail(`no id in ${shapeOf(created.json)}`));
  const words = new Set<string>();
  for (let poll = 0; poll < mostPolls; poll++) {
    const status = await service.send('GET', `${path}/${encodeURIComponent(id.value)}`);
    if (accepted(status).result === 'fail') return accepted(status);
    const state = findState(status.json);
    if (state !== undefined) words.add(state);
    const found = findResult(status.json);
    if (found) {
      const places = worst(usualPlace(id, 'id'), usualPlace(found, 'data.0.url'), usualStates(words));
      return worst(await judgeResult(service, found, judge), places);
    }
    if (state !== undefined && failedWords.test(state))
      return fail(`the task failed: ${shapeOf(status.json)}`);
    await service.pause(pollSeconds);
  }
  return fail(`not ready after ${mostPolls} status queries; states: ${[...words].join(', ')}`);
}

async function judgeResult(
  service: CheckedService,
  found: FoundString,
  judge: (bytes: Buffer) => Outcome,
): Promise<Outcome> {
  if (!/^https?:/.test(found.value))
    return judge(Buffer.from(found.value.replace(/^data:[^,]*,/, ''), 'base64'));
  const result = await service.fetchResult(found.value);
  return worst(accepted(result), judge(result.bytes));
}

function usualPlace({ path }: FoundString, usual: string): Outcome {
  return path === usual ? pass : differs(`found in ${path}, usually ${usual}`);
}

function usualStates(words: ReadonlySet<string>): Outcome {
  const usual = ['queued', 'processing', 'succeeded'];
  const others = [...words].filter((word) => !usual.includes(word));
  return others.length === 0 ? pass : differs(`states: ${others.join(', ')}`);
}

function isImage(bytes: Buffer): Outcome {
  const signs = ['89504e47', 'ffd8ff', '52494646', '47494638'];
  const start = bytes.subarray(0, 4).toString('hex');
  return signs.some((sign) => start.startsWith(sign)) ? pass : fail(`an image that begins with ${start}`);
}

function isVideo(bytes: Buffer): Outcome {
  const isMp4 = bytes.subarray(4, 8).toString('latin1') === 'ftyp';
  return isMp4 ? pass : fail(`no MP4: it begins with ${bytes.subarray(0, 8).toString('hex')}`);
}
