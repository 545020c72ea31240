/** How the account `a` collects, in days (decisions §3). */
export const collectionColumns = `a.overdue_days AS "overdueDays", a.suspend_days AS "suspendDays",
  a.cancel_days AS "cancelDays", a.retry_days AS "retryDays"`;
