import { useMembership, useSession } from '../api/session.ts';
import { useSharedTexts } from '../texts/shared.ts';
import { workflowsUrl } from './workflows-url.ts';

/** Leads whoever runs the service to what it does with some objects; nothing is there for anybody else. */
export function WorkflowsLink({ of }: { of: readonly string[] }) {
  const { parts } = useSharedTexts();
  const { temporal_ui: list } = useSession();
  const { role } = useMembership();
  if (list === null || of.length === 0 || (role !== 'owner' && role !== 'developer')) return null;
  return (
    <p>
      <a href={workflowsUrl(list, of)} target="_blank" rel="noopener noreferrer">
        {parts.workflows}
      </a>
    </p>
  );
}
