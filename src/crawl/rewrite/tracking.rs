//! Parameters that say where a visitor came from and nothing about the page.

/// Names besides `utm_*`; all of them are used for nothing else.
const NAMES: [&str; 52] = [
    "_branch_match_id",
    "_bta_c",
    "_bta_tid",
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "_openstat",
    "__hsfp",
    "__hssc",
    "__hstc",
    "dclid",
    "dm_i",
    "epik",
    "fb_action_ids",
    "fb_action_types",
    "fb_ref",
    "fb_source",
    "fbclid",
    "gad_source",
    "gbraid",
    "gclid",
    "gclsrc",
    "hsctatracking",
    "igsh",
    "igshid",
    "li_fat_id",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "ml_subscriber",
    "ml_subscriber_hash",
    "msclkid",
    "mtm_campaign",
    "mtm_kwd",
    "mtm_medium",
    "mtm_source",
    "oly_anon_id",
    "oly_enc_id",
    "piwik_campaign",
    "piwik_kwd",
    "pk_campaign",
    "pk_kwd",
    "rb_clickid",
    "s_kwcid",
    "srsltid",
    "ttclid",
    "twclid",
    "vero_conv",
    "vero_id",
    "wbraid",
    "yclid",
];

/// Whether a parameter only tracks visitors.
pub(super) fn is_tracking(name: &str) -> bool {
    let begins =
        |prefix: &str| name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    begins("utm_") || NAMES.iter().any(|tracking| tracking.eq_ignore_ascii_case(name))
}
