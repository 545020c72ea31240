export const NOTICE_PATH = '/acquirer/notices';

/** Where an acquirer is to send its callbacks of an account; it adds `/pix` or does not. */
export const noticeUrl = (publicUrl: string, token: string): string =>
  `${publicUrl.replace(/\/+$/, '')}${NOTICE_PATH}/${token}`;
