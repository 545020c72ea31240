/** What each process may do, whoever logs in for it: a login gets its privileges as a member. */
export const GROUPS = ['fatura_api', 'fatura_worker', 'fatura_admin', 'fatura_audit'] as const;

/** Groups of a process that serves one mode: members of its group whom the policies keep from the rows of the other mode. */
export const MODE_GROUPS = {
  live: ['fatura_api_live', 'fatura_worker_live'],
  sandbox: ['fatura_api_sandbox', 'fatura_worker_sandbox'],
} as const;

export const ALL_GROUPS: readonly string[] = [...GROUPS, ...Object.values(MODE_GROUPS).flat()];

/** The group whose privileges the group of a mode has. */
const wholeOf = (group: string): string => group.replace(/_(?:live|sandbox)$/, '');

/** They read when transactions of other processes began: without that a page that is read forward could leave something out. */
const READ_ACTIVITY = ['fatura_api', 'fatura_worker'] as const;

const attempt = ({
  isThere,
  sql,
  into,
}: {
  isThere: string;
  sql: string;
  into: string;
}): string => `IF NOT ${isThere} THEN
    BEGIN EXECUTE '${sql}'; EXCEPTION
      WHEN duplicate_object OR unique_violation THEN NULL;
      WHEN insufficient_privilege OR undefined_object THEN ${into} := ${into} || '${sql}; ';
    END;
  END IF;`;

const makeGroup = (group: string): string =>
  attempt({
    isThere: `EXISTS (SELECT FROM pg_roles WHERE rolname = '${group}')`,
    sql: `CREATE ROLE ${group} NOLOGIN${wholeOf(group) === group ? '' : ` IN ROLE ${wholeOf(group)}`}`,
    into: 'v_lacking',
  });

const letReadActivity = (group: string): string =>
  attempt({
    isThere: `EXISTS (SELECT FROM pg_roles r WHERE r.rolname = '${group}' AND pg_has_role(r.oid, 'pg_read_all_stats', 'MEMBER'))`,
    sql: `GRANT pg_read_all_stats TO ${group}`,
    into: 'v_wanted',
  });

/**
 * Makes the roles that are missing; they belong to all databases of a server, so another one may have made them. Without a role
 * nothing can be granted; without a look at the activity lists that are read forward come late, and that is all.
 */
export const makeGroups = (
  groups: readonly string[],
  readers: readonly string[],
): string => `DO $$ DECLARE v_lacking text := ''; v_wanted text := ''; BEGIN
  ${groups.map(makeGroup).join('\n')}
  IF v_lacking <> '' THEN
    RAISE insufficient_privilege USING MESSAGE = 'roles of the service are missing, and ' || current_user ||
      ' may not make them. Have an administrator of the server run: ' || v_lacking;
  END IF;
  ${readers.map(letReadActivity).join('\n')}
  IF v_wanted <> '' THEN
    RAISE WARNING 'lists that are read forward come late until an administrator of the server has run: %', v_wanted;
  END IF;
END $$`;

export const MAKE_GROUPS = makeGroups(ALL_GROUPS, READ_ACTIVITY);

/**
 * By default anybody may make tables in `public` of an old database, and temporary ones in any. Privileges of the database itself
 * are not in a dump: each migrate asserts them.
 */
export const CLOSE_TO_PUBLIC = `DO $$ BEGIN
  IF pg_has_role((SELECT nspowner FROM pg_namespace WHERE nspname = 'public'), 'USAGE') THEN
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    GRANT USAGE ON SCHEMA public TO ${GROUPS.join(', ')};
  END IF;
  IF pg_has_role((SELECT datdba FROM pg_database WHERE datname = current_database()), 'USAGE') THEN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
  END IF;
  IF has_database_privilege('fatura_api', current_database(), 'TEMPORARY') THEN
    RAISE WARNING 'the API may make temporary tables until the owner of the database has run: %',
      format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC;', current_database());
  END IF;
  IF has_schema_privilege('fatura_api', 'public', 'CREATE') THEN
    RAISE WARNING 'the API may make tables until the owner of the schema has run: REVOKE CREATE ON SCHEMA public FROM PUBLIC;';
  END IF;
END $$`;
