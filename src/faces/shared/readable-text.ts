/** Text of others for a terminal: nothing in it may move the cursor, hide itself or pretend to be ours. */
export function readableText(text: string): string {
  // eslint-disable-next-line no-control-regex -- these are the characters to be shown instead of obeyed
  return text.replaceAll(
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    shown,
  );
}

function shown(character: string): string {
  return character === '\t' ? '\t' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
