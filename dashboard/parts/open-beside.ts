/** Opens beside the dashboard; what is there learns nothing of where it came from. */
export const openBeside = (url: string): void => void window.open(url, '_blank', 'noopener,noreferrer');

/** Opens a conversation, with a message that is written already where there is one. */
export const whatsAppUrl = (phone: string, text?: string): string =>
  `https://wa.me/${phone.replace(/\D/g, '')}${text === undefined ? '' : `?text=${encodeURIComponent(text)}`}`;

export const firstName = (name: string): string => name.split(' ')[0] ?? name;
