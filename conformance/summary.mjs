/**
 * Summarizes the checks of one run. A scenario of which nothing but its messages was checked counts as skipped: the
 * suite itself reports it as passed.
 */
export function summarize(title, checks) {
  const count = (status) => checks.filter((check) => check.status === status).length;
  const scenarios = groupByScenario(checks);
  const skipped = [...scenarios].filter(([, own]) => isSkipped(own));
  const failed = checks.filter(({ status }) => status === "FAILURE");
  const ran = scenarios.size - skipped.length;
  return {
    failed: failed.length + (count("SUCCESS") === 0 ? 1 : 0),
    skipped: skipped.map(([scenario]) => scenario),
    lines: [
      `${title}: ${ran} scenarios, ${count("SUCCESS")} checks passed, ${failed.length} failed, ${count("WARNING")} warnings, ${skipped.length} scenarios and ${count("SKIPPED")} checks skipped`,
      ...failed.map(({ scenario, id, errorMessage }) => `  failed: ${scenario}: ${id}: ${errorMessage}`),
      ...skipped.map(([scenario, own]) => `  skipped: ${scenario}: ${reasonsOf(own).join("; ")}`),
      ...skippedChecks(scenarios, new Set(skipped.map(([scenario]) => scenario))),
    ],
  };
}

function groupByScenario(checks) {
  const groups = new Map();
  for (const check of checks) groups.set(check.scenario, [...(groups.get(check.scenario) ?? []), check]);
  return groups;
}

function isSkipped(checks) {
  const isResult = ({ id, status }) => id !== "wire-schema-valid" && status !== "SKIPPED" && status !== "INFO";
  return checks.some(({ status }) => status === "SKIPPED") && !checks.some(isResult);
}

function skippedChecks(scenarios, isWhole) {
  return [...scenarios].flatMap(([scenario, checks]) =>
    isWhole.has(scenario)
      ? []
      : checks
          .filter(({ status }) => status === "SKIPPED")
          .map((check) => `  skipped check: ${scenario}: ${check.id}: ${reasonsOf([check]).join("; ")}`),
  );
}

function reasonsOf(checks) {
  const skipped = checks.filter(({ status }) => status === "SKIPPED");
  return [...new Set(skipped.map(({ errorMessage, description }) => errorMessage ?? description ?? "no reason given"))];
}
