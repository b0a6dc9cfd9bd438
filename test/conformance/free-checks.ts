import { knownVoices } from '../../src/service-rules/voices.ts';
import { accepted, type Check, differs, fail, type Outcome, pass, refusal, worst } from './check.ts';
import { shapeOf, strings } from './find.ts';
import type { CheckedService, Extras } from './service.ts';

const voices = '/audio/voices';
const chatPath = '/chat/completions';
const speechPath = '/audio/speech';
const chat = { model: 'svc-llm-1.5', messages: [{ role: 'user', content: 'Say: ok' }] };
const speech = { model: 'svc-tts-1', input: 'a', voice: 'en_male_tim_uranus_bigtts' };

function free(section: number, says: string, run: Check['run']): Check {
  return { section, says, kind: 'free', run };
}

/** A request that must be refused; where it is not, it costs less than a credit. */
function refused(section: number, says: string, path: string, body: unknown, usual = 400): Check {
  return free(section, says, async (service) => refusal(await service.send('POST', path, { body }), usual));
}

function read(section: number, says: string, path: string, extras: Extras, judge: 'taken' | number): Check {
  return free(section, says, async (service) => {
    const answer = await service.send('GET', path, extras);
    return judge === 'taken' ? accepted(answer) : refusal(answer, judge);
  });
}

function withConversation(id: string): Extras {
  return { headers: { 'x-svc-conversation-id': id } };
}

/** Checks that read, and those that must be refused: they cost nothing where the service keeps its description. */
export const freeChecks: readonly Check[] = [
  read(4, 'GET /audio/voices lists the voices', voices, {}, 'taken'),
  free(2, 'the list has the twelve known voices', listsKnownVoices),
  free(2, 'the list is {data: [{id}]} (not shown)', listHasUsualShape),
  read(5, 'a request without a key is refused', voices, { headers: { authorization: '' } }, 401),
  read(5, 'a key of another form is refused', voices, { headers: { authorization: 'Bearer sk-none' } }, 401),
  read(5, 'another scheme than Bearer is refused', voices, { headers: { authorization: 'Basic YTpi' } }, 401),
  read(
    5,
    'a conversation id may have 64 characters',
    voices,
    withConversation('aZ09-_'.padEnd(64, 'x')),
    'taken',
  ),
  read(5, 'a conversation id of 65 characters is refused', voices, withConversation('x'.repeat(65)), 400),
  read(5, 'a conversation id with a space is refused', voices, withConversation('a b'), 400),
  read(5, 'a conversation id with a dot is refused', voices, withConversation('a.b'), 400),
  read(4, 'an unknown image task is not found', '/images/generations/conformance-none', {}, 404),
  read(4, 'an unknown video task is not found', '/videos/conformance-none', {}, 404),
  read(4, 'an unknown path is not found', '/conformance/none', {}, 404),
  refused(4, 'a chat body that is not JSON is refused', chatPath, '{'),
  refused(4, 'chat needs a model', chatPath, { ...chat, model: undefined }),
  refused(4, 'chat takes its two models only', chatPath, { ...chat, model: 'conformance-none' }),
  refused(4, 'chat needs messages', chatPath, { model: chat.model }),
  refused(4, 'messages are an array', chatPath, { ...chat, messages: 'ok' }),
  refused(4, 'a message needs a role', chatPath, { ...chat, messages: [{ content: 'Say: ok' }] }),
  refused(4, 'a message needs a content', chatPath, { ...chat, messages: [{ role: 'user' }] }),
  refused(4, 'stream is a boolean', chatPath, { ...chat, stream: 'yes' }),
  refused(4, 'speech needs a model', speechPath, { ...speech, model: undefined }),
  refused(4, 'speech takes svc-tts-1 only', speechPath, { ...speech, model: 'conformance-none' }),
  refused(4, 'speech needs an input', speechPath, { ...speech, input: undefined }),
  refused(4, 'speech needs a voice', speechPath, { ...speech, voice: undefined }),
  refused(4, 'speech takes voices of the list only', speechPath, { ...speech, voice: 'conformance-none' }),
  refused(4, 'speech takes mp3, wav, opus and ogg only', speechPath, { ...speech, response_format: 'flac' }),
  refused(4, 'speed is at least 0.5', speechPath, { ...speech, speed: 0.4 }),
  refused(4, 'speed is at most 2', speechPath, { ...speech, speed: 2.1 }),
  free(7, 'a refusal is {error: {message}} (not shown)', refusalHasUsualShape),
];

async function listsKnownVoices(service: CheckedService): Promise<Outcome> {
  const answer = await service.send('GET', voices);
  const listed = new Set(strings(answer.json).map(({ value }) => value));
  const missing = knownVoices.filter(({ id }) => !listed.has(id)).map(({ id }) => id);
  return missing.length === 0 ? pass : fail(`missing: ${missing.join(', ')}`);
}

async function listHasUsualShape(service: CheckedService): Promise<Outcome> {
  const answer = await service.send('GET', voices);
  const usual = strings(answer.json).some(({ path }) => path === 'data.0.id');
  return worst(accepted(answer), usual ? pass : differs(shapeOf(answer.json)));
}

async function refusalHasUsualShape(service: CheckedService): Promise<Outcome> {
  const answer = await service.send('GET', '/videos/conformance-none');
  const usual = strings(answer.json).some(({ path }) => path === 'error.message');
  return usual ? pass : differs(answer.json === undefined ? 'no JSON' : shapeOf(answer.json));
}
