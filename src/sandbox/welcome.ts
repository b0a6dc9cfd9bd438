/** The text shown when the sandbox is opened in a browser. */
export function welcome(origin: string): string {
  return `This is the sandbox of the media and chat service. It answers like the service, with media made on this machine.

Base URL   ${origin}/v1
API key    any key of the form sk-svc-…; each is a separate account

POST   /v1/chat/completions        chat, streamed with "stream": true
GET    /v1/audio/voices            list of voices
POST   /v1/audio/speech            text to speech
POST   /v1/images/generations      an image, or a task with "async": true
GET    /v1/images/generations/{id} status of an image task
POST   /v1/videos                  a video task
GET    /v1/videos/{id}             status of a video task
GET    /v1/sandbox/meter           credits used by this key
POST   /v1/sandbox/control         behavior for this key: pace, faults, shapes

Ask it for “help” in a chat to see the directives that make it fail.
`;
}
