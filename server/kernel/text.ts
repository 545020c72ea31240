/** Text of others in one line, without what cannot be seen in it: a name in a header or on a line of its own begins no other. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
