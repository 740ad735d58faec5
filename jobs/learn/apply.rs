//! `webmill learn apply`: what a model tells of pages.
//!
//! **Cost.** Pages are read once, in batches; memory: the model, and a batch.
//!
//! **Determinism.** Rows stand in the order of the pages.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use webmill_capture::Result;
use webmill_learn::{Model, PageFacts, Predictor};
use webmill_run::{Ingredient, Inputs, Job, JobInput, Measure, Stage, Unit};

use super::labels::ColumnNames;
use super::page::{LearnPage, NeededFacts, Reading};
use super::set::with_facts;
use super::settings::TrainSettings;
use super::source::{PageSource, ReadAs};
use super::tables::ClassRow;
use crate::output::TableFile;

/// Rows that a file of the table has.
const FILE_ROWS: u64 = 1 << 20;

/// The job that predicts classes with a model.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ApplyJob {
    /// Its settings, without the paths.
    pub reading: Reading,
    /// Name of the column with texts.
    pub text_column: String,
}

impl ApplyJob {
    /// By how the settings read pages.
    pub fn new(settings: &TrainSettings) -> Self {
        ApplyJob { reading: settings.reading(), text_column: settings.text_column.clone() }
    }
}

/// What it reads.
pub struct ApplyInput {
    /// The trained model.
    pub model: Model,
    /// The pages to classify.
    pub pages: PageSource,
    /// By what both are told from others.
    pub inputs: Inputs,
}

impl JobInput for ApplyInput {
    fn inputs(&self) -> Inputs {
        self.inputs.clone()
    }
}

impl Job for ApplyJob {
    type Input = ApplyInput;
    const NAME: &'static str = "learn-apply";
    const VERSION: u32 = 2;

    fn ingredients(&self) -> Vec<Ingredient> {
        crate::ingredients::of_words()
    }

    fn run(&self, input: &ApplyInput, stage: &Stage<'_>) -> Result<()> {
        stage.unit("classes", |unit| self.tell(input, unit))
    }
}

impl ApplyJob {
    fn tell(&self, input: &ApplyInput, unit: &mut Unit<'_>) -> Result<()> {
        let stage = unit.stage();
        let how = ReadAs {
            reading: self.reading,
            wanted: NeededFacts { language: input.model.options().language, url: input.model.options().url },
            columns: ColumnNames { text: self.text_column.clone(), ..ColumnNames::default() },
            anchors: input.model.options().anchors,
            memory: stage.memory,
        };
        stage.progress.begin("classes", 0, Measure::Items);
        let mut number = 0;
        let mut rows = 0;
        let mut unknown = 0;
        let mut told = 0;
        let create = |unit: &Unit<'_>, number: u32| {
            TableFile::<ClassRow>::create(unit, format!("classes/part-{number:06}.parquet"))
        };
        let mut file = create(unit, number)?;
        let left_out = input.pages.each(&how, stage.cancel, |pages| {
            let found: Vec<ClassRow> = with_facts(&pages, |facts| {
                let row = |predictor: &mut Predictor<'_>, (page, facts): (&LearnPage, &PageFacts<'_>)| {
                    row(&input.model, predictor, page, facts)
                };
                let both = pages.par_iter().zip(facts).with_min_len(16);
                both.map_init(|| input.model.predictor(), row).collect()
            });
            stage.progress.advance(found.len() as u64);
            for row in found {
                unknown += u64::from(row.words.is_empty());
                told += 1;
                rows += 1;
                file.push(row)?;
            }
            if rows >= FILE_ROWS {
                number += 1;
                std::mem::replace(&mut file, create(unit, number)?).finish(unit)?;
                rows = 0;
            }
            Ok(())
        })?;
        file.finish(unit)?;
        stage.progress.end();
        unit.read(told);
        unit.kept("pages", told);
        if unknown > 0 {
            unit.kept("pages-without-known-words", unknown);
        }
        left_out.iter().for_each(|(reason, count)| unit.dropped(reason, *count));
        Ok(())
    }
}

fn row(model: &Model, predictor: &mut Predictor<'_>, page: &LearnPage, facts: &PageFacts<'_>) -> ClassRow {
    let prediction = predictor.predict(facts);
    let name = |class: u32| model.classes()[class as usize].clone();
    let words = predictor.because(&prediction, prediction.first, 5).into_iter().map(str::to_owned).collect();
    ClassRow {
        url: page.url.clone(),
        url_key: page.url_key(),
        host: page.host.clone(),
        domain: page.domain.clone(),
        file: page.file.clone(),
        label: name(prediction.first),
        probability: prediction.probabilities[prediction.first as usize],
        second: if prediction.second == prediction.first { String::new() } else { name(prediction.second) },
        margin: prediction.margin(),
        labels: prediction.told.iter().map(|class| name(*class)).collect(),
        words,
    }
}
