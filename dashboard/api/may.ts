import { may, type OperationName } from '../../contract/roles.ts';
import { useSharedTexts } from '../texts/shared.ts';
import { useMembership } from './session.ts';

/** Whether the person's role in the account of the screen has an operation. */
export function useMay(): (operation: OperationName) => boolean {
  const { role } = useMembership();
  return (operation) => may(role, operation);
}

/** Why the person's role may not do something, in a sentence; null: it may. */
export function useRoleRefusal(): (operation: OperationName) => string | null {
  const { role } = useMembership();
  const { parts, roles } = useSharedTexts();
  return (operation) => (may(role, operation) ? null : parts.mayNot(roles[role]));
}
