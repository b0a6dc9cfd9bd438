import { describe, expect, it } from 'vitest';
import { type Message, writeAnswer } from '../../../../src/sandbox/chat/writer/answer.ts';

/** The answer to the last of these, which are questions and answers in turn. */
function answerTo(...said: string[]): string {
  const messages: Message[] = said.map((content, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content,
  }));
  return writeAnswer([{ role: 'system', content: 'Be brief.' }, ...messages], 1);
}

const han = /\p{Script=Han}/u;
const sayings = ['write', 'tell me', 'I want'];

describe('an answer', () => {
  it('says openly at the beginning of a conversation that this is a sandbox, and only there', () => {
    expect(answerTo('hello')).toContain('This is the sandbox');
    expect(answerTo('你好')).toContain('这里是沙盒');
    expect(answerTo('write 20 words')).toContain('Sandbox');
    expect(answerTo('hello', 'hi', 'tell me about tea')).not.toMatch(/sandbox/i);
  });

  it('is in the language of the question, or in the requested one', () => {
    expect(answerTo('what is tea?')).toContain('tea');
    expect(answerTo('什么是茶?')).toMatch(/茶/);
    expect(answerTo('what is tea? answer in Chinese please')).toContain('这里是沙盒');
    expect(answerTo('什么是茶?请用英文回答')).toContain('This is the sandbox');
    expect(answerTo('hello', 'hi', 'what is tea?')).not.toMatch(han);
  });

  it('knows what was said before', () => {
    const before = ['Hi, my name is Alice.', 'Hello.', 'what is tea?', 'A drink.'];
    expect(answerTo(...before, 'what is my name?')).toContain('**Alice**');
    expect(answerTo(...before, 'What did I just ask?')).toContain('“what is tea?”');
    expect(answerTo(...before, 'what was my first question?')).toContain('my name is Alice');
    expect(answerTo(...before, 'how many questions did I ask?')).toContain('**3**');
    expect(answerTo(...before, 'summarize our conversation')).toContain('2. what is tea?');
    expect(answerTo(...before, 'tell me about milk')).toMatch(/Question 3, Alice.*“what is tea\?”/);
    expect(answerTo('我叫小明', '你好', '我叫什么名字?')).toContain('小明');
    expect(answerTo('what is my name?')).toContain('have not told me');
  });

  it('tells several people apart by the names before what they said', () => {
    const before = ['Alice: call me Ally', 'Hello.', 'Bob: hi', 'Hello.'];
    expect(answerTo(...before, 'Alice: who am I?')).toContain('Ally');
    expect(answerTo(...before, 'Bob: who am I?')).toContain('Bob');
    expect(answerTo(...before, 'Bob: repeat: yes')).toBe('yes');
  });

  it('continues on the same topic when asked to', () => {
    expect(answerTo('what is tea?', 'A drink.', 'continue')).toContain('tea');
    expect(answerTo('写一张 7 行的表格', '好', '继续').match(/^\|/gm)).toHaveLength(9);
  });

  it('repeats a text word for word', () => {
    expect(answerTo('repeat: **bold**\n@everyone <!channel>')).toBe('**bold**\n@everyone <!channel>');
    expect(answerTo('重复：你好')).toBe('你好');
    expect(answerTo('repeat: one', 'one', 'repeat: two')).toBe('two');
  });

  it('explains its directives when asked for help', () => {
    for (const words of [
      '[[fail 503]]',
      '[[stall]]',
      '[[break off]]',
      '[[rate limit]]',
      '[[out of credits]]',
      'once',
    ]) {
      expect(answerTo('help')).toContain(words);
      expect(answerTo('帮助')).toContain(words);
    }
    expect(answerTo('帮助')).toMatch(han);
    expect(answerTo('a story about help')).not.toContain('[[stall]]');
  });

  it('is another one the next time, and the same for the same number', () => {
    const message: Message = { role: 'user', content: 'a story' };
    expect(writeAnswer([message], 1)).toBe(writeAnswer([message], 1));
    expect(writeAnswer([message], 1)).not.toBe(writeAnswer([message], 2));
  });
});

describe('Markdown', () => {
  it.each([
    ['code in Python', /```python\n[\s\S]+\n```/],
    ['写一段代码', /```\w+\n[\s\S]+\n```/],
    ['show me some SQL', /```sql\n[\s\S]+\n```/],
    [
      'a table with 8 rows',
      /^\| Item \| Number \| Share \| Verdict \|\n\| --- \| ---: \| ---: \| :--- \|\n(\|.*\|\n){7}\|.*\|$/m,
    ],
    ['一个 3 行的表格', /^\| 项目.*\n\| ---.*\n(\|.*\|\n){2}\|.*\|$/m],
    ['a list of 12 things', /^(- .*\n){11}- /m],
    ['numbered steps', /^1\. .*\n2\. .*\n3\. /m],
    ['a quote', /^> \S/m],
    ['a story', /[^\n]{200,}\n\n[^\n]{200,}/],
    ['emoji please', /👩‍👩‍👧‍👦|🧑🏿‍🚀/u],
    ['something with headings', /^## \w+/m],
    ['with links', /\[an example\]\(https:/],
    ['something hostile', /@everyone/],
    ['a paragraph with some Chinese in between', /这个问题|通常/],
  ])('%s', (question, sign) => {
    expect(answerTo(question)).toMatch(sign);
  });

  it('of every kind together, each fence closed', () => {
    const answer = answerTo('a long answer with every kind of Markdown');
    for (const sign of [/^## /m, /^- /m, /^1\. /m, /```/, /^\| --- /m, /^> /m, /@everyone/, han])
      expect(answer).toMatch(sign);
    expect((answer.match(/^```/gm) ?? []).length % 2).toBe(0);
  });

  it('of any length of code', () => {
    const code = answerTo('200 lines of code in Go').match(/```go\n([\s\S]+)\n```/)?.[1] ?? '';
    expect(Math.abs(code.split('\n').length - 200)).toBeLessThanOrEqual(5);
  });
});

describe('length', () => {
  const words = (text: string) => text.split(/\s+/).filter(Boolean).length;

  it.each([30, 50, 100, 399, 400, 1_000, 3_333, 20_000, 100_000])('%i characters', (amount) => {
    for (const saying of sayings) {
      const answer = answerTo(`${saying} ${amount} characters`);
      expect(Math.abs([...answer].length - amount)).toBeLessThanOrEqual(Math.max(3, amount * 0.01));
    }
  });

  it.each([10, 59, 60, 500, 5_000])('%i words', (amount) => {
    for (const saying of sayings)
      expect(Math.abs(words(answerTo(`${saying} ${amount} words`)) - amount)).toBeLessThanOrEqual(2);
  });

  it.each([
    ['写一个五百字的故事', 500],
    ['写两千字', 2_000],
    ['一万二千字的文章', 12_000],
    ['2万字', 20_000],
    ['写 300 字', 300],
    ['a 3k characters text', 3_000],
    ['2,500 characters', 2_500],
  ])('%s', (question, amount) => {
    expect(Math.abs([...answerTo(question)].length - amount)).toBeLessThanOrEqual(amount * 0.02);
  });

  it('with everything in it, 20,000 characters', () => {
    const answer = answerTo('an answer of 20,000 characters with code fences, a table, Chinese and emoji');
    expect(Math.abs([...answer].length - 20_000)).toBeLessThanOrEqual(200);
    for (const sign of [/^```/m, /^\| --- /m, han, /👩‍👩‍👧‍👦|🧑🏿‍🚀/u]) expect(answer).toMatch(sign);
    expect((answer.match(/^```/gm) ?? []).length % 2).toBe(0);
    expect(answer.isWellFormed()).toBe(true);
  });

  it('is limited', () => {
    expect([...answerTo('9,999,999 characters')].length).toBeLessThanOrEqual(200_000);
  });
});
