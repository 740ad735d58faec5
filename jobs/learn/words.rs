//! `webmill learn features`: the words of labelled pages, and how well they tell classes apart.

use serde::{Deserialize, Serialize};
use webmill_capture::Result;
use webmill_learn::{Contingency, FeatureOrigin, Measure, Method, best};
use webmill_run::{Ingredient, Job, Stage, Unit};

use super::set::gather;
use super::settings::TrainSettings;
use super::tables::FeatureRow;
use super::train::TrainInput;
use crate::output::{TableFile, first_part};

/// The job that scores words by how well they separate classes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FeaturesJob {
    /// Settings of the training that use the words.
    pub settings: TrainSettings,
}

impl Job for FeaturesJob {
    type Input = TrainInput;
    const NAME: &'static str = "learn-features";
    const VERSION: u32 = 2;

    fn ingredients(&self) -> Vec<Ingredient> {
        crate::ingredients::of_words()
    }

    fn run(&self, input: &TrainInput, stage: &Stage<'_>) -> Result<()> {
        stage.unit("features", |unit| self.write(input, unit))
    }
}

impl FeaturesJob {
    fn write(&self, input: &TrainInput, unit: &mut Unit<'_>) -> Result<()> {
        let settings = &self.settings;
        let set = gather(&input.pages, input.labels.as_ref(), settings, &settings.options(), unit)?;
        let (width, classes) = (set.vocabulary.len(), set.classes.len());
        let table = Contingency::count(&set.counts, width, &set.labels, classes, settings.counting);
        let pages = Contingency::count(&set.counts, width, &set.labels, classes, Default::default());
        let measures = Measure::ALL.map(|measure| table.measures(measure, settings.over));
        let by = Measure::ALL.iter().position(|measure| *measure == settings.measure).unwrap_or(0);
        let chosen = best(&measures[by], settings.features);
        let mut file = TableFile::<FeatureRow>::create(unit, first_part::<FeatureRow>())?;
        for (word, _) in measures[0].iter().enumerate() {
            unit.stage().cancel.check()?;
            let name = set.vocabulary.word(word as u32);
            let of = |at: usize| measures[at][word];
            file.push(FeatureRow {
                word: name.to_owned(),
                source: source_name(FeatureOrigin::of(name)).to_owned(),
                num_pages: set.vocabulary.frequency(word as u32),
                class_pages: pages.of(word).to_vec(),
                classes: set.classes.clone(),
                chi_square: of(0),
                information_gain: of(1),
                right_half: of(2),
                mutual_information: of(3),
                cross_entropy: of(4),
                weight_of_evidence: of(5),
                is_chosen: chosen.binary_search(&(word as u32)).is_ok(),
            })?;
        }
        file.finish(unit)?;
        Ok(())
    }
}

/// What tables call a source.
pub fn source_name(source: FeatureOrigin) -> &'static str {
    match source {
        FeatureOrigin::Word => "word",
        FeatureOrigin::Bigram => "bigram",
        FeatureOrigin::HanPair => "han-pair",
        FeatureOrigin::Title => "title",
        FeatureOrigin::Url => "url",
        FeatureOrigin::Anchor => "anchor",
        FeatureOrigin::Media => "media",
        FeatureOrigin::Language => "language",
        FeatureOrigin::PageType => "page-type",
    }
}

/// What tables call a method.
pub fn name_of(method: Method) -> String {
    serde_json::to_value(method).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}
