import type { MemberLink } from '../../contract/members.ts';
import type { Role } from '../../contract/roles.ts';
import type { RateLimit, RateLimiter } from '../admission/rate-limit.ts';
import type { Deps } from '../deps.ts';
import { newId } from '../kernel/ids.ts';
import { oneLine, unlinked } from '../kernel/text.ts';
import { DAY } from '../kernel/time.ts';
import { type Letter, layOut, OUR_LOOK } from './letter.ts';
import { isSuppressed } from './suppression.ts';

/** What became of the e-mail with a link. */
type LinkMail = MemberLink['mail'];

/** Letters with a link in a day, so that nobody's mailbox is filled by inviting them again and again. */
const addressLimit: RateLimit = { name: 'staff_letter', max: 5, block: 1, windowSeconds: DAY };
const accountLimit: RateLimit = { name: 'staff_letters', max: 200, block: 1, windowSeconds: DAY };

/** A link by which somebody comes into the dashboard of an account. */
export interface ToldOfLink {
  readonly accountId: string;
  /** The name of the account. */
  readonly merchant: string;
  /** Who made the link, by name. */
  readonly by: string;
  readonly email: string;
  /** What the person who is invited will be; null: a person of the account sets up anew how they sign in. */
  readonly role: Role | null;
  readonly link: string;
}

const roleNames: Readonly<Record<Role, string>> = {
  owner: 'dono',
  finance: 'financeiro',
  support: 'atendimento',
  developer: 'desenvolvedor',
  viewer: 'somente leitura',
};

/** Names are words of others: they stand as text, and mail programs make no links of them. */
const named = (text: string): string => unlinked(oneLine(text));

function letterOf({ merchant, by, role, email, link }: ToldOfLink): Letter {
  const account = named(merchant);
  const isInvitation = role !== null;
  return layOut({
    look: OUR_LOOK,
    logo: null,
    subject: `${isInvitation ? 'Convite para o painel' : 'Crie de novo o seu acesso ao painel'} – ${oneLine(merchant)}`,
    greeting: 'Olá!',
    lead: isInvitation
      ? `${named(by)} convidou você para o painel de ${account} na Fatura.`
      : `${named(by)} pediu que você crie de novo a sua forma de entrar no painel de ${account} na Fatura. A anterior deixa de valer quando você usar o link.`,
    facts: [['Seu e-mail', named(email)], ...(isInvitation ? [['Seu papel', roleNames[role]] as const] : [])],
    advice: 'O link vale por 24 horas e uma só vez. Não o encaminhe: quem o abrir primeiro fica com o acesso.',
    code: null,
    action: { name: isInvitation ? 'Aceitar o convite' : 'Criar acesso', lead: 'Para continuar, acesse:', link },
    notes: ['Se você não esperava esta mensagem, ignore-a: sem o link nada acontece.'],
  });
}

type LetterDeps = Pick<Deps, 'mailer' | 'pool' | 'links' | 'logger'> & { readonly rateLimiter: RateLimiter };

async function isAllowed({ rateLimiter }: LetterDeps, { email, accountId }: ToldOfLink): Promise<boolean> {
  const ofAddress = await rateLimiter.consume(email, addressLimit);
  return ofAddress.allowed && (await rateLimiter.consume(accountId, accountLimit)).allowed;
}

/**
 * Hands the letter with a link to the mail server at once. It is kept nowhere, neither in the list of e-mails nor in a queue: who
 * reads those must not come in by the link. A letter that is not taken undoes nothing, since the link was answered too.
 */
export async function mailLink(deps: LetterDeps, told: ToldOfLink): Promise<LinkMail> {
  const { mailer, pool, links, logger } = deps;
  if (mailer === null) return 'off';
  const { email: address, accountId: account } = told;
  if ((await isSuppressed(pool, address)) || !(await isAllowed(deps, told))) return 'not_sent';
  const messageId = `<${newId('mail')}@${links.host}>`;
  const outcome = await mailer.send({ messageId, to: { name: null, address }, replyTo: null, ...letterOf(told) });
  if (outcome.kind === 'accepted') return 'sent';
  // What the server said may name the recipient: the log is told that it said no, not what.
  logger.warn({ account, outcome: outcome.kind }, 'a letter with a link to the dashboard was not taken');
  return 'not_sent';
}
