import { fileOf, type OutgoingFile } from '../../../port/index.ts';

/** An answer as a file. */
export function wholeAnswer(text: string): OutgoingFile {
  return fileOf(Buffer.from(text), {
    name: 'answer.md',
    contentType: 'text/markdown',
    kind: 'file',
    description: 'The whole answer',
  });
}
