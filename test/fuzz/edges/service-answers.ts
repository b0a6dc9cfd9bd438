import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeChatPiece } from '../../../src/service/chat-decoder.ts';
import { decodeErrorBody, decodeErrorValue, ShapeReporter } from '../../../src/service/decode/answer.ts';
import { decodeTask } from '../../../src/service/decode/task.ts';
import { decodeVoices } from '../../../src/service/operations/voices.ts';
import {
  answersOfBytes,
  answersOfJson,
  calls,
  json,
  notEvenHttp,
  send,
  settlesWell,
  streams,
} from '../../service/support/any-answers.ts';
import { ask, collect, delta, done, outcome, patient, stage, stop } from '../../service/support/helpers.ts';
import { anyText, type Edge, edge } from '../edge.ts';

const decoded = ([value, text]: [unknown, string]) => {
  const shapes = new ShapeReporter(() => undefined);
  decodeChatPiece(value);
  decodeErrorValue(value);
  decodeVoices(value);
  decodeErrorBody(text);
  for (const kind of ['image', 'video'] as const) {
    const task = decodeTask(value, kind, shapes);
    if (!task) continue;
    const { state, progress = 0, results } = task.status;
    assert.ok(['waiting', 'running', 'ready', 'failed'].includes(state));
    assert.ok(progress >= 0 && progress <= 1);
    if (state !== 'ready') assert.deepEqual(results, []);
  }
  assert.equal(Object.keys(Object.prototype).length, 0);
};

export const decoders = edge('answers of the service, decoded', fc.tuple(json, anyText), decoded, 10);

export const answers: Edge = {
  name: 'answers of the service, on the wire',
  async open() {
    const set = await stage(undefined, { timeouts: { ...patient, task: 10_000 } });
    const anything = fc.oneof(answersOfJson, streams, answersOfBytes, notEvenHttp);
    const property = fc.asyncProperty(anything, fc.nat(calls.length - 1), (answer, index) =>
      settlesWell(set, (_request, reply) => send(reply, answer), index),
    );
    return { property };
  },
};

/** A chat answer says the same wherever the network cuts it, in the middle of a character too. */
export const splits: Edge = {
  name: 'a chat stream, cut anywhere',
  async open() {
    const set = await stage(undefined, { timeouts: patient });
    const property = fc.asyncProperty(
      fc.array(
        anyText.map((text) => text.toWellFormed()),
        { maxLength: 8 },
      ),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
      async (pieces, cuts) => {
        const body = `${pieces.map((text) => delta(text)).join('')}${stop}${done}`;
        const bytes = Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n${body}`);
        set.server.script((_request, reply) => send(reply, { bytes, cuts, lost: false }));
        const answer = await outcome(set.clock, collect(set.client.chat.stream(ask)));
        if (answer instanceof Error) throw answer;
        assert.equal(answer.text, pieces.join(''));
        await set.clock.advance(1_000);
      },
    );
    return { property };
  },
};
