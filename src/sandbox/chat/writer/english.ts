/** The sandbox's English texts. `{topic}` and other slots are filled in. */
export const english = {
  /** Begins the first answer of a conversation: says that this is a sandbox. */
  intro:
    '**This is the sandbox**, a stand-in for the chat service that runs on your own machine. It knows nothing of the world, but it answers the way the service does.',
  /** The same for short answers. */
  shortIntro: '(Sandbox)',
  suggestions:
    'Try “a story of 500 words”, “code in Python”, “a table with 8 rows”, “a long answer with every kind of Markdown”, “用中文回答”, “what is my name?”, or “help” for the words that make me fail on purpose.',
  /** The topic if the question names none. */
  anyTopic: 'this question',
  /** Between two sentences. */
  space: ' ',
  fullStop: '.',
  /** Words to choose from, separated by bars. */
  slots: {
    aspect:
      'the people it is for|what it costs|how it began|the tools it needs|the first five minutes|what can go wrong|how it is measured|the words used for it|where it ends|the smallest example|the part nobody mentions',
    quality:
      'simple|slow at first|easy to test|worth a second look|older than it seems|cheaper than expected|a matter of taste|harder to explain than to do|best done early|clearer on paper',
    person: 'a beginner|a careful reader|an engineer|a teacher|anybody in a hurry|an old hand',
    action:
      'write it down|try the smallest case|ask a friend|measure twice|leave it for a day|draw a picture of it|begin again from the end|say it aloud',
    hero: 'Mara|old Tobias|the lighthouse keeper|a girl called Wen|the youngest pilot|Ines',
    other: 'a stranger|her brother|a talking crow|the baker|a tired robot|somebody she once knew',
    place: 'by the harbor|under the bridge|on the last train|in the empty library|at the edge of the map',
    thing: 'a brass key|a letter without a name|half a map|a lamp that would not go out|a very small door',
  },
  sentences: [
    'One way to look at {topic} is to begin with {aspect}.',
    '{person} will soon notice that {topic} is {quality}.',
    'Once {aspect} is clear, the rest of {topic} turns out to be {quality}.',
    'When in doubt about {topic}, {action}.',
    'It helps to keep {aspect} and {aspect} apart.',
    'Much has been said about {aspect}; less about whether it is {quality}.',
    'For {person}, {aspect} matters more than anything else.',
    'The usual advice is to {action}, and it is usually right.',
    'There are two sides to {topic}: {aspect}, and everything else.',
    '{person} would say: {action}, then look at {aspect} again.',
    'In practice {topic} is **{quality}**, at least as far as {aspect} goes.',
    'Compare {aspect} with {aspect}, and *{action}* before choosing.',
    'So far {topic} has been {quality}, and nobody expects that to change.',
  ],
  storyBeginnings: [
    'Long ago, {place}, {hero} found {thing}.',
    'It was raining {place} when {hero} first heard of {topic}.',
    'Nobody had seen {hero} {place} before that evening.',
  ],
  storyEvents: [
    'The next day {other} asked to see {thing}, and would not say why.',
    '“{action},” said {other}, “and all of this will seem {quality}.”',
    '{hero} walked until morning, thinking about {topic}.',
    'There, {place}, lay {thing}, just where it should not have been.',
    'They waited {place} and talked about {aspect}.',
    'Then the lights went out, and somebody {place} began to sing.',
    '“Is it true,” asked {other}, “that {topic} is {quality}?”',
  ],
  storyEndings: [
    'And if {thing} has not been lost since, it is still {place}.',
    'From then on, whenever it rained, {hero} would {action} and smile.',
    'That was the end of {thing}, though not of {topic}.',
  ],
  headings: ['Where to begin', 'A closer look', 'What it takes', 'In practice', 'Doubts', 'Next steps'],
  items: [
    '**First of all:** {action}.',
    'Think about {aspect}, which is {quality}.',
    'Let {person} `check` it.',
    'Do not forget {aspect}.',
    '{action}; it is {quality}.',
  ],
  tableHead: ['Item', 'Number', 'Share', 'Verdict'],
  tableItems: [
    'Apples',
    'Bridges',
    'Clocks',
    'Doors',
    'Engines',
    'Feathers',
    'Gardens',
    'Harbors',
    'Islands',
  ],
  verdicts: ['good', 'fair', 'to be seen', '**best**', 'poor', '`n/a`'],
  quotes: [
    '{action}, and the rest of {topic} will follow.',
    'Nothing is {quality} until {person} has tried it.',
  ],
  codeIntros: ['Here is a piece of code that runs:', 'In code it is shorter:', 'The same as a program:'],
  emoji: [
    '😀 Hello! 👍🏽 Fine, 🎉 done. Families count as one: 👩‍👩‍👧‍👦, flags too: 🇨🇳 🇫🇷, and ❤️‍🔥.',
    '🚀 Up it goes, 🌧️ down it rains, 🧑🏿‍🚀 somebody waves, 1️⃣ 2️⃣ 3️⃣.',
  ],
  /** Mentions, HTML and images that must have no effect where they are shown. */
  hostile:
    'None of this may do anything where you read it: @everyone, @here, <@123456789012345678>, <@&1>, <#1>, <!channel>, <!here>, <@U012AB3CD>, <script>alert(1)</script>, <img src=x onerror=alert(1)>, ![picture](https://example.com/pixel.png), [a link](javascript:alert(1)), [another](https://example.com), ||spoiler||, /nick me.',
  links:
    'A link: [an example](https://example.com/a?b=c&d=e), one with brackets: [a_(b)](<https://example.com/a_(b)>), and a bare one: https://example.org/path_with_underscores.',
  heard: (question: string) => `You asked: “${question}”`,
  turn: (turn: number, earlier: string, name: string | undefined) =>
    `Question ${turn}${name ? `, ${name}` : ''}. Before this you asked: “${earlier}”`,
  /** Answers about the conversation itself. */
  recall: {
    name: (name: string) => `Your name is **${name}**; you told me so in this conversation.`,
    noName: 'You have not told me your name in this conversation. Say “my name is …” and ask again.',
    last: (question: string) => `Just before this you asked: “${question}”`,
    first: (question: string) => `The first thing you asked in this conversation was: “${question}”`,
    nothingBefore: 'You have not asked anything before this, as far as the conversation I was sent goes.',
    count: (turn: number, answers: number) =>
      `This is question **${turn}** of the conversation I was sent, with ${answers} answered before it.`,
    summary: (lines: string) => `So far you asked:\n\n${lines}`,
    niceToMeet: (name: string) =>
      `Nice to meet you, **${name}**. Ask me for your name later, and I will know it while it is in the conversation I am sent.`,
  },
  help: (
    rows: string,
  ) => `I am the sandbox: I write well-formed text of any kind and length, and fail when I am told to.

**To try good answers**, ask for a story, a list, a table with 12 rows, code in Python, 200 lines of code, emoji, quotes, headings, links, every kind of Markdown, something hostile, 3,000 words, 20,000 characters; in English or in Chinese. \`repeat: …\` says what follows, word for word. I know your name, your earlier questions and how many there were from the conversation I am sent.

**To try failures**, put one of these directives into a question, a text to speak or a prompt for an image or video:

| Words | What happens |
| --- | --- |
${rows}

With \`once\`, as in \`[[fail 503 once]]\`, it happens the first time only.`,
};

/** The sandbox's texts in one language. */
export type Phrasebook = typeof english;
