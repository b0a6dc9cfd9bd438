/** What a person sees who opens the sandbox's address in a browser. */
export function welcome(origin: string): string {
  return `This is the sandbox of the media and chat service. It answers like the service, with media made on this machine.

Base URL   ${origin}/v1
API key    any of the form sk-svc-…; each is an account of its own

POST   /v1/chat/completions        chat, streamed with "stream": true
GET    /v1/audio/voices            the voices
POST   /v1/audio/speech            a text spoken
POST   /v1/images/generations      an image, or a task with "async": true
GET    /v1/images/generations/{id} how far that task is
POST   /v1/videos                  a video task
GET    /v1/videos/{id}             how far that task is
GET    /v1/sandbox/meter           the credits this key has used
POST   /v1/sandbox/control         how the sandbox behaves for this key: pace, faults, shapes

Ask it for help in a chat to see the words that make it fail on purpose.
`;
}
