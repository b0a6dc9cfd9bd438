import { apiKeyPattern } from '../../src/service-rules/models.ts';
import type { CheckKind } from './check.ts';
import { run } from './run.ts';

const usage = `npm run conformance -- URL KEY [--paid] [--limits]

Checks a media and chat service against its description. Without flags it only reads, and sends what must be refused:
0 credits where the service keeps its description, less than 1 each where it does not.
--paid    also makes 10 short answers, 8 short clips, 3 images and the cheapest video: about 225 credits; and sends
          image and video requests that must be refused, which cost credits where they are not
--limits  also uses up the key's status queries for a minute
Exit status: 0 all as described or only differing where nothing is described, 1 a check failed, 2 wrong arguments.`;

const known = ['--paid', '--limits'];
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const [url = '', key = '', ...others] = process.argv
  .slice(2)
  .filter((argument) => !argument.startsWith('--'));
const faults = [
  /^https?:$/.test(URL.parse(url)?.protocol ?? '')
    ? ''
    : 'URL: allowed is the base address of a service, ending with /v1.',
  apiKeyPattern.test(key) ? '' : 'KEY: allowed is a key of the form sk-svc-….',
  ...flags
    .filter((flag) => !known.includes(flag))
    .map((flag) => `${flag}: allowed are ${known.join(' and ')}.`),
  others.length > 0 ? 'Allowed are one URL and one KEY.' : '',
].filter((fault) => fault !== '');

if (faults.length > 0) {
  console.error([...faults, '', usage].join('\n'));
  process.exitCode = 2;
} else {
  const kinds: CheckKind[] = ['free'];
  if (flags.includes('--paid')) kinds.push('paid');
  if (flags.includes('--limits')) kinds.push('limits');
  const counts = await run({ url, key }, kinds, console.log);
  process.exitCode = counts.fail > 0 ? 1 : 0;
}
