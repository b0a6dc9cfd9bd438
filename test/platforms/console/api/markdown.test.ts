import { describe, expect, it } from 'vitest';
import { richText } from '../../../../src/platforms/console/api/markdown.ts';
import type { RichElement, RichNode } from '../../../../src/platforms/console/api/wire.ts';

function elementsIn(nodes: readonly RichNode[]): RichElement[] {
  return nodes.flatMap((node) => (typeof node === 'string' ? [] : [node, ...elementsIn(node.children)]));
}

function textIn(nodes: readonly RichNode[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : textIn(node.children))).join('');
}

const known = new Set([
  ...['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'strong', 'em', 's', 'code', 'pre', 'blockquote', 'small'],
  ...['ul', 'ol', 'li', 'a', 'br', 'hr', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
]);

describe('rendered Markdown', () => {
  it('has fences with their language, lists, and tables with their alignment', () => {
    expect(richText('```ts title\nlet a;\n```\n\n3. x\n   - y\n\n| a | b |\n|:-:|--:|\n| 1 | 2 |')).toEqual([
      { tag: 'pre', language: 'ts', children: ['let a;'] },
      {
        tag: 'ol',
        start: 3,
        children: [{ tag: 'li', children: ['x', { tag: 'ul', children: [{ tag: 'li', children: ['y'] }] }] }],
      },
      {
        tag: 'table',
        children: [
          {
            tag: 'thead',
            children: [
              {
                tag: 'tr',
                children: [
                  { tag: 'th', align: 'center', children: ['a'] },
                  { tag: 'th', align: 'right', children: ['b'] },
                ],
              },
            ],
          },
          {
            tag: 'tbody',
            children: [
              {
                tag: 'tr',
                children: [
                  { tag: 'td', align: 'center', children: ['1'] },
                  { tag: 'td', align: 'right', children: ['2'] },
                ],
              },
            ],
          },
        ],
      },
    ]);
  });

  it('ends a list with its last item, as chats do, and keeps what is indented below one', () => {
    const item = (...children: RichNode[]) => ({ tag: 'li', children });
    expect(richText('- a\n  more\n- b\n**Title**\n1. c\ntext')).toEqual([
      { tag: 'ul', children: [item('a', { tag: 'br', children: [] }, 'more'), item('b')] },
      { tag: 'p', children: [{ tag: 'strong', children: ['Title'] }] },
      { tag: 'ol', children: [item('c')] },
      { tag: 'p', children: ['text'] },
    ]);
  });

  it('ends a quotation with its last mark, as chats do, but not inside of code', () => {
    expect(richText('> quoted\nnot')).toEqual([
      { tag: 'blockquote', children: [{ tag: 'p', children: ['quoted'] }] },
      { tag: 'p', children: ['not'] },
    ]);
    expect(richText('```\n> a\nb\n```')).toEqual([{ tag: 'pre', children: ['> a\nb'] }]);
  });

  it('has small print, and keeps line breaks', () => {
    expect(richText('one\n-# two *three*\nfour')).toEqual([
      {
        tag: 'p',
        children: [
          'one',
          { tag: 'br', children: [] },
          { tag: 'small', children: ['two ', { tag: 'em', children: ['three'] }] },
          { tag: 'br', children: [] },
          'four',
        ],
      },
    ]);
  });

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg/onload=alert(1)>',
    '<iframe src="https://evil.example"></iframe>',
    '<style>@import "https://evil.example"</style>',
    '<a href="javascript:alert(1)">x</a>',
  ])('leaves %s as text', (text) => {
    const rendered = richText(text);
    expect(elementsIn(rendered).filter(({ tag }) => tag !== 'p' && tag !== 'a')).toEqual([]);
    expect(textIn(rendered)).toBe(text);
  });

  it.each([
    '[x](javascript:alert(1))',
    '[x]()',
    '![x]()',
    '[x](JaVaScRiPt:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](vbscript:x)',
    '[x](file:///etc/passwd)',
    '[x](//evil.example)',
    '[x](/console/session)',
    '<javascript:alert(1)>',
    '![x](data:image/svg+xml;base64,AAAA)',
    '[x]: javascript:alert(1)\n\n[x]',
  ])('makes no link of %s', (text) => {
    expect(elementsIn(richText(text)).filter(({ tag }) => tag === 'a')).toEqual([]);
  });

  it('turns an image into a link, so that nothing is loaded', () => {
    expect(richText('![cat](https://evil.example/cat.png?secret)')).toEqual([
      { tag: 'p', children: [{ tag: 'a', href: 'https://evil.example/cat.png?secret', children: ['cat'] }] },
    ]);
    const nested = elementsIn(richText('[![cat](https://a.example/c.png)](https://b.example)'));
    expect(nested.filter(({ tag }) => tag === 'a').map(({ href }) => href)).toEqual(['https://b.example']);
  });

  it('makes nothing but the elements that are known, whatever it is given', () => {
    const pieces = [
      '# ',
      '- ',
      '> ',
      '```\n',
      '|a|b|\n|-|-|\n',
      '**',
      '_',
      '`',
      '<b>',
      '&lt;',
      '[a](',
      ')',
      '\n',
      '\u0000',
      '😀',
    ];
    let seed = 7;
    for (let round = 0; round < 300; round++) {
      let text = '';
      for (let at = 0; at < 40; at++) {
        seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
        text += pieces[seed % pieces.length];
      }
      for (const { tag, href } of elementsIn(richText(text))) {
        expect(known.has(tag), tag).toBe(true);
        if (href !== undefined) expect(href).toMatch(/^(?:https?:\/\/|mailto:)/i);
      }
    }
  });
});
