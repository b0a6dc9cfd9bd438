import { accepted, type Check, differs, fail, type Outcome, pass, worst } from './check.ts';
import type { Answer, CheckedService } from './service.ts';

const path = '/audio/speech';
const speech = { model: 'svc-tts-1', input: 'One, two, three.', voice: 'en_male_tim_uranus_bigtts' };
const most = { max: 16_384 };

/** What each format begins with. */
const signs: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
  mp3: (bytes) =>
    bytes.subarray(0, 3).equals(Buffer.from('ID3')) || (bytes[0] === 0xff && (bytes[1] ?? 0) >= 0xe0),
  wav: (bytes) => bytes.subarray(0, 4).equals(Buffer.from('RIFF')),
  opus: (bytes) => bytes.subarray(0, 4).equals(Buffer.from('OggS')),
  ogg: (bytes) => bytes.subarray(0, 4).equals(Buffer.from('OggS')),
};

/** Short clips in every format. */
export const speechChecks: readonly Check[] = [
  speaks('the default format is mp3', (service) => inFormat(service, undefined)),
  ...['mp3', 'wav', 'opus', 'ogg'].map((format) =>
    speaks(`${format} is a file of that format`, (service) => inFormat(service, format)),
  ),
  speaks('a higher speed makes a shorter clip', speedCounts),
  speaks('a language the voice does not speak gives way to its default', async (service) =>
    accepted(await say(service, { language: 'zh-CN' })),
  ),
  speaks(`an input of ${most.max + 1} bytes of UTF-8 is refused`, async (service) => {
    const answer = await say(service, { input: 'a'.repeat(most.max + 1) });
    return answer.status >= 400 && answer.status < 500 ? pass : differs(`taken with HTTP ${answer.status}`);
  }),
];

function speaks(says: string, run: Check['run']): Check {
  return { section: 4, says, kind: 'paid', run };
}

function say(service: CheckedService, more: object): Promise<Answer> {
  return service.send('POST', path, { body: { ...speech, ...more } });
}

async function inFormat(service: CheckedService, format: string | undefined): Promise<Outcome> {
  const answer = await say(service, { response_format: format });
  const isFormat = signs[format ?? 'mp3']?.(answer.bytes) ?? false;
  const type = answer.headers.get('content-type') ?? 'none';
  return worst(
    accepted(answer),
    isFormat ? pass : fail(`begins with ${answer.bytes.subarray(0, 8).toString('hex')}`),
    /^(?:audio|application\/ogg)/.test(type) ? pass : differs(`content type ${type}`),
  );
}

async function speedCounts(service: CheckedService): Promise<Outcome> {
  const slow = await say(service, { response_format: 'wav', speed: 0.5 });
  const fast = await say(service, { response_format: 'wav', speed: 2 });
  const shorter = fast.bytes.length < slow.bytes.length;
  const sizes = `${fast.bytes.length} bytes at 2, ${slow.bytes.length} at 0.5`;
  return worst(accepted(slow), accepted(fast), shorter ? pass : fail(sizes));
}
