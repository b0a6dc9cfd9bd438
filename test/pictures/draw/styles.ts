/** How the drawings look: like a chat, and like no chat in particular. */
export const styles = `
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: #1d2129;
  font: 14px/1.4 "Noto Sans", "Noto Sans CJK KR", "Noto Color Emoji", sans-serif; }
[lang="zh-CN"] { font-family: "Noto Sans CJK SC", "Noto Color Emoji", sans-serif; }
main { display: flex; align-items: flex-start; gap: 24px; width: 960px; padding: 16px; }
section { flex: 1; min-width: 0; }
h1 { font-size: 13px; margin: 0 0 8px; color: #6b7280; font-weight: 600; }
h2 { font-size: 16px; margin: 4px 0; } h3 { font-size: 15px; margin: 4px 0; }
figure { margin: 0 0 18px; }
figcaption { display: flex; gap: 8px; margin: 0 0 6px; font-size: 13px; color: #374151; }
figcaption span { flex: none; width: 20px; height: 20px; border-radius: 10px; background: #374151; color: #fff;
  text-align: center; font-size: 12px; line-height: 20px; }
.channel, .form { border: 1px solid #d7dbe0; border-radius: 8px; padding: 10px; background: #fff; }
.form { box-shadow: 0 2px 10px #0002; margin: 0 12px; }
.message { display: grid; grid-template-columns: 32px 1fr; column-gap: 10px; padding: 5px 4px; }
.only { background: #f3f6fb; border: 1px dashed #b7c3d6; border-radius: 6px; }
.only-note { color: #5b6b84; font-size: 12px; }
.above { grid-column: 2; font-size: 12px; color: #6b7280; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.avatar { width: 32px; height: 32px; border-radius: 16px; background: #d9c7a7; color: #fff; text-align: center;
  line-height: 32px; font-weight: 700; }
.avatar.bot { background: #6d7f99; border-radius: 8px; }
.said { min-width: 0; } .said header { margin-bottom: 1px; }
.badge { font-size: 10px; background: #e5e8ec; border-radius: 3px; padding: 1px 4px; color: #4b5563; }
small { color: #6b7280; font-size: 12px; }
.text > :first-child { margin-top: 0; } .text > :last-child { margin-bottom: 0; }
.text { overflow-wrap: anywhere; } .text p { margin: 4px 0; }
.text h1, .text h2, .text h3 { font-size: 15px; color: inherit; margin: 6px 0 2px; font-weight: 700; }
.text ul, .text ol { margin: 4px 0; padding-left: 20px; }
blockquote { margin: 2px 0; padding: 0 0 0 10px; border-left: 3px solid #c4c9d1; } blockquote p { margin: 0 !important; }
code { background: #f1f2f4; border-radius: 3px; padding: 0 3px; font: 12px "DejaVu Sans Mono", "Noto Sans CJK SC", monospace; }
pre { background: #f1f2f4; border-radius: 4px; padding: 6px; margin: 4px 0; overflow: hidden; white-space: pre-wrap; }
pre code { padding: 0; }
table { border-collapse: collapse; font-size: 13px; margin: 4px 0; } td, th { border: 1px solid #d7dbe0; padding: 2px 6px; overflow-wrap: anywhere; }
.step td:first-child { min-width: 96px; } .step td { white-space: pre-line; }
a { color: #2c5f9e; text-decoration: underline; }
.reference { background: #e6edf8; color: #2c5f9e; border-radius: 3px; padding: 0 2px; }
.spoiler { background: #1d2129; border-radius: 3px; }
.row { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 6px; align-items: center; } .row.end { justify-content: flex-end; margin-top: 12px; }
.button { border-radius: 5px; padding: 3px 11px; font-size: 13px; background: #e9ebee; border: 1px solid #d7dbe0; white-space: nowrap; }
.button.primary { background: #35609c; border-color: #35609c; color: #fff; }
.button.success { background: #2f7d4f; border-color: #2f7d4f; color: #fff; }
.button.danger { background: #b3383d; border-color: #b3383d; color: #fff; }
.button.off { opacity: .45; }
.container { border: 1px solid #d7dbe0; border-left: 4px solid; border-radius: 6px; padding: 8px 10px; margin: 3px 0; }
.section { display: flex; justify-content: space-between; gap: 10px; align-items: flex-start; margin: 3px 0; }
.section > :first-child { flex: 1; min-width: 0; } .two { display: grid; grid-template-columns: 1fr 1fr; gap: 4px 10px; }
.context { font-size: 12px; color: #6b7280; margin: 3px 0; display: flex; gap: 8px; flex-wrap: wrap; }
hr { border: 0; border-top: 1px solid #d7dbe0; margin: 6px 0; }
.image { display: block; max-width: 100%; max-height: 230px; border-radius: 6px; margin-top: 4px; }
.gallery { display: grid; gap: 4px; margin-top: 4px; } .columns-2 { grid-template-columns: 1fr 1fr; }
.columns-2 .image { width: 100%; height: 120px; object-fit: cover; margin: 0; }
.covered { position: relative; overflow: hidden; border-radius: 6px; width: fit-content; } .covered .image, .covered video { filter: blur(22px); }
.cover { position: absolute; inset: 0; margin: auto; width: fit-content; height: fit-content; padding: 4px 10px;
  border-radius: 14px; background: #1d2129cc; color: #fff; font-size: 12px; font-weight: 700; }
.film { position: relative; width: fit-content; margin-top: 4px; } .film video { display: block; max-width: 100%; max-height: 200px; border-radius: 6px; }
.play { position: absolute; inset: 0; margin: auto; width: 44px; height: 44px; border-radius: 22px; background: #1d2129aa; color: #fff;
  text-align: center; line-height: 44px; font-size: 18px; }
.clip, .file { display: flex; gap: 10px; align-items: center; background: #f1f2f4; border-radius: 16px; padding: 6px 12px; margin-top: 4px; width: fit-content; }
.file { border-radius: 6px; } .play-small { color: #35609c; }
.wave { display: flex; gap: 2px; align-items: center; } .wave i { width: 2px; background: #6d7f99; }
.thread-note, .status { margin-top: 5px; padding: 4px 8px; border: 1px solid #d7dbe0; border-radius: 6px; font-size: 12px; color: #4b5563; width: fit-content; }
.status { font-style: italic; border-style: dotted; }
.replies { margin-left: 46px; border-left: 2px solid #d7dbe0; padding-left: 8px; }
.prompts { display: grid; grid-template-columns: 1fr 1fr; gap: 6px; margin-top: 8px; }
.prompt { border: 1px solid #d7dbe0; border-radius: 8px; padding: 6px 8px; } .prompt small { display: block; }
label { display: block; margin: 8px 0; } label small { display: block; }
.input { border: 1px solid #c4c9d1; border-radius: 5px; padding: 5px 8px; min-height: 31px; margin-top: 3px; white-space: pre-wrap; overflow-wrap: anywhere; }
.input.tall { min-height: 58px; } .input.empty { color: #8b93a0; } .input.select::after { content: " ▾"; float: right; }
.choice { font-size: 13px; margin-top: 2px; } .needed { color: #b3383d; font-style: normal; }
.fields { display: flex; flex-wrap: wrap; gap: 6px 16px; } .field { flex: 1 0 100%; } .field.inline { flex: 1 0 30%; }
.unknown { border: 2px dashed #b3383d; color: #7a2327; font-size: 12px; padding: 4px 8px; margin: 4px 0; overflow-wrap: anywhere; }
`;
