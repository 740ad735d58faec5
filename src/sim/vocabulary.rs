//! The words that synthetic pages are written in.
//!
//! Words are in order of frequency and are drawn by Zipf's law with Mandelbrot's shift, weight 1/(rank + 2.7). English is
//! some 400 words, their plurals, and made-up names; Chinese is some 400 words. All characters exist in GBK.

use std::sync::LazyLock;
use webmill_capture::cut::Cut;

/// Slots of a table of draws: a word has as many as its probability deserves.
const SLOTS: usize = 1 << 16;

/// Words of one language.
pub(super) struct Vocabulary {
    words: Vec<String>,
    slots: Vec<u16>,
    nouns_from: u64,
}

pub(super) static ENGLISH: LazyLock<Vocabulary> = LazyLock::new(|| {
    let base: Vec<&str> = ENGLISH_WORDS.split_whitespace().collect();
    let mut words: Vec<String> = base.iter().map(|&word| word.to_owned()).collect();
    words.extend(nouns().iter().map(|word| plural(word)));
    for first in NAME_STARTS {
        words.extend(NAME_ENDS.iter().map(|end| format!("{first}{end}")));
    }
    Vocabulary::new(words, FIRST_ENGLISH_NOUN)
});

pub(super) static CHINESE: LazyLock<Vocabulary> = LazyLock::new(|| {
    Vocabulary::new(CHINESE_WORDS.split_whitespace().map(str::to_owned).collect(), FIRST_CHINESE_NOUN)
});

/// GBK code of each character of the basic plane that pages use; 0 for the others.
static GBK: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let mut codes = vec![0; 1 << 16];
    for c in CHINESE_WORDS.chars().chain(super::phrases::CHINESE_CHARACTERS.chars()).filter(|c| !c.is_ascii())
    {
        let mut utf8 = [0; 4];
        let (bytes, _, missing) = encoding_rs::GBK.encode(c.encode_utf8(&mut utf8));
        if let (&[high, low], false, Some(code)) = (bytes.as_ref(), missing, codes.get_mut(c as usize)) {
            *code = u16::from_be_bytes([high, low]);
        }
    }
    codes
});

impl Vocabulary {
    fn new(words: Vec<String>, first_noun: &str) -> Self {
        let nouns_from = words.iter().take_while(|word| *word != first_noun).count() as u64;
        let weight = |rank: usize| 1.0 / (rank as f64 + 2.7);
        let total: f64 = (0..words.len()).map(weight).sum();
        let mut slots = Vec::with_capacity(SLOTS);
        let mut sum = 0.0;
        for rank in 0..words.len() {
            sum += weight(rank);
            let end = ((sum / total * SLOTS as f64) as usize).min(SLOTS);
            slots.resize(end.max(slots.len()), rank as u16);
        }
        slots.resize(SLOTS, words.len() as u16 - 1);
        Vocabulary { words, slots, nouns_from }
    }

    /// A word by the law, from 16 bits of a draw.
    #[inline]
    pub(super) fn draw(&self, draw: u64) -> u16 {
        self.slots[(draw >> 48) as usize]
    }

    /// A word past the commonest, for names and titles.
    #[inline]
    pub(super) fn draw_content(&self, draw: u64) -> u16 {
        (self.nouns_from + super::draw::below(draw, self.words.len() as u64 - self.nouns_from)) as u16
    }

    #[inline]
    pub(super) fn word(&self, word: u16) -> &str {
        &self.words[word as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }
}

/// English labels of host names: short content words without suffixes.
pub(super) fn host_word(draw: u64) -> &'static str {
    static WORDS: LazyLock<Vec<&str>> =
        LazyLock::new(|| nouns().into_iter().filter(|word| word.len() < 8).collect());
    WORDS[super::draw::below(draw, WORDS.len() as u64) as usize]
}

/// Appends `utf8` in GBK.
pub(super) fn to_gbk(utf8: &str, out: &mut Vec<u8>) {
    let mut rest = utf8;
    while let Some(at) = rest.bytes().position(|b| !b.is_ascii()) {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        rest = rest.cut(at..);
        for c in rest.chars() {
            if c.is_ascii() {
                break;
            }
            match GBK.get(c as usize) {
                Some(&code) if code != 0 => out.extend_from_slice(&code.to_be_bytes()),
                _ => out.extend_from_slice(&encoding_rs::GBK.encode(c.encode_utf8(&mut [0; 4])).0),
            }
            rest = rest.cut(c.len_utf8()..);
        }
    }
    out.extend_from_slice(rest.as_bytes());
}

/// English content words, in order.
fn nouns() -> Vec<&'static str> {
    ENGLISH_WORDS.split_whitespace().skip_while(|&word| word != FIRST_ENGLISH_NOUN).collect()
}

fn plural(noun: &str) -> String {
    let sibilant = ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end));
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o']) => format!("{stem}ies"),
        _ if sibilant => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// Words before these are the small words of the language.
const FIRST_ENGLISH_NOUN: &str = "house";
const FIRST_CHINESE_NOUN: &str = "中国";

const ENGLISH_WORDS: &str = "\
the of and to in a is that it for was on are as with be at by this from or had not but have an they which one were \
all we when there can said use each she do how their if will up other about out many then them these so some her \
would make like him into time has look two more go see no way could my than first been call who its now find long \
down day did get come made may over such any after most also where through back much before too same tell does set \
three want well even here must because turn why ask went read need different us move try again off play away still \
should answer under never last let thought while along might close seem next hard open begin got walk both often \
until those always later carry once enough took far almost above sometimes soon
house page world school plant country city tree farm story field river mountain road book letter mother father \
question picture animal point land home hand night line head stone garden market harbour bridge village castle \
island forest valley museum library theatre station railway engine ship sailor captain journey map compass ticket \
season winter summer spring autumn weather storm cloud wind snow ocean lake shore beach desert meadow flower seed \
leaf root branch fruit apple orange grape lemon bread butter cheese coffee sugar pepper kitchen table chair window \
door wall roof floor lamp mirror clock bell candle paper pencil colour painter sculptor poet writer reader teacher \
student scholar doctor nurse engineer farmer baker miller weaver tailor merchant lawyer judge soldier king queen \
parliament council election tax budget bank coin price auction trade cargo factory machine motor wheel lever pump \
valve circuit battery signal antenna radio camera telescope microscope planet star moon comet orbit rocket \
satellite atom molecule crystal metal copper iron silver gold glass cotton wool silk leather timber brick cement \
tunnel canal dam tower palace temple church monastery festival dance music violin piano trumpet drum song melody \
chorus concert opera film actor stage costume mask puppet game chess football tennis swimmer runner medal team \
coach record horse cattle sheep goat rabbit fox wolf bear eagle sparrow pigeon salmon trout whale turtle lizard \
beetle butterfly spider honey orchard vineyard harvest grain barley mill oven recipe dinner breakfast supper \
holiday visitor hotel restaurant lane corner square fountain statue avenue district suburb border passport \
language grammar dialect alphabet dictionary chapter sentence paragraph archive catalogue index network server \
protocol packet database program compiler algorithm matrix theorem proof number equation triangle circle vector \
graph theory experiment laboratory sample measure balance pressure temperature energy force motion current voltage \
magnet colony empire treaty republic century decade generation tradition custom legend ancestor family daughter \
brother neighbour citizen stranger friend rumour secret treasure jewel crown sword shield";

const NAME_STARTS: [&str; 24] = [
    "Kal", "Mor", "Vel", "Tar", "Ren", "Sol", "Bran", "Dor", "Fal", "Gar", "Hel", "Isk", "Jor", "Lun", "Nor",
    "Ost", "Pel", "Quin", "Ros", "Sten", "Ulm", "Wes", "Yar", "Zan",
];

const NAME_ENDS: [&str; 20] = [
    "mar", "den", "ton", "burg", "vik", "holm", "stad", "ia", "ova", "field", "mouth", "wick", "ley",
    "worth", "stead", "by", "ridge", "ford", "haven", "gate",
];

const CHINESE_WORDS: &str = "\
的 是 在 了 和 有 我们 他 这 也 人 都 一个 就 不 与 对 中 上 为 等 可以 他们 到 说 要 以 我 从 会 大 而 又 还 其 \
但 于 很 年 被 它 更 时 这个 没有 一些 已经 可能 通过 进行 因为 所以 如果 虽然 但是 以及 其中 同时 目前 认为 表示 开始 \
成为 需要 使用 提供 发现 得到 由于 根据 关于 之后 之前 现在 许多 不同 主要 重要 一般 非常 自己 什么 怎么 那么 这样 只有 \
中国 北京 上海 广州 南京 杭州 成都 西安 武汉 天津 世界 国家 城市 农村 地区 社会 经济 文化 历史 政治 教育 科学 技术 研究 \
大学 学校 学生 老师 教授 课程 专业 图书馆 实验室 论文 知识 理论 方法 问题 结果 数据 分析 系统 网络 计算机 软件 程序 信息 \
互联网 网站 网页 搜索 服务 用户 产品 市场 企业 公司 工厂 工业 农业 商业 银行 投资 价格 贸易 管理 发展 改革 政策 法律 政府 \
会议 代表 领导 工作 工人 农民 医生 护士 医院 健康 疾病 药物 治疗 身体 生活 家庭 父亲 母亲 孩子 朋友 邻居 故事 小说 诗歌 \
作家 读者 文章 新闻 记者 报纸 杂志 电视 电影 导演 演员 音乐 歌曲 舞蹈 戏剧 艺术 绘画 书法 博物馆 展览 比赛 足球 篮球 运动员 \
冠军 奥运会 旅游 旅行 酒店 饭店 餐厅 茶叶 咖啡 水果 蔬菜 苹果 葡萄 西瓜 米饭 面条 饺子 味道 厨房 房子 建筑 设计 工程 道路 \
桥梁 铁路 火车 汽车 飞机 机场 轮船 港口 交通 地铁 车站 司机 乘客 山水 河流 长江 黄河 湖泊 海洋 岛屿 沙漠 森林 草原 动物 \
植物 花园 树木 鸟类 熊猫 老虎 马匹 天气 春天 夏天 秋天 冬天 下雨 阳光 月亮 星星 太阳 地球 宇宙 卫星 火箭 能源 电力 石油 \
煤炭 环境 保护 污染 空气 水资源 气候 温度 压力 速度 时间 空间 数学 物理 化学 生物 医学 哲学 语言 汉语 英语 词典 翻译 语法 \
文字 汉字 成语 传统 节日 春节 中秋节 习惯 民族 宗教 寺庙 古代 现代 朝代 皇帝 战争 和平 军队 士兵 革命 英雄 人民 公民 权利 \
责任 自由 平等 安全 警察 法院 案件 合同 保险 税收 收入 支出 财务 会计 股票 基金 消费 广告 品牌 质量 标准 检查 测试 实验 \
证明 计划 项目 任务 目标 机会 挑战 竞争 合作 交流 沟通 访问 参观 欢迎 介绍 讨论 决定 选择 建议 意见 希望 梦想 努力 成功 \
失败 经验 能力 水平 特点 优势 条件 情况 原因 影响 作用 意义 价值 关系 变化 过程 阶段 基础 结构 功能 材料 设备 机器 工具 \
电脑 手机 电话 邮件 图片 照片 视频 声音 颜色 红色 绿色 蓝色 白色 黑色 美丽 漂亮 简单 复杂 困难 容易 快乐 幸福 安静 热闹";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_its_share_once() {
        for (words, least) in [(&*ENGLISH, 1000), (&*CHINESE, 400)] {
            assert!(words.len() >= least, "{}", words.len());
            let mut shares = vec![0u32; words.len()];
            (0..SLOTS as u64).for_each(|slot| shares[words.draw(slot << 48) as usize] += 1);
            assert!(shares.iter().all(|&share| share > 0) && shares.is_sorted_by(|a, b| *a + 1 >= *b));
            let mut distinct = words.words.clone();
            distinct.sort_unstable();
            distinct.dedup();
            let twice = words.words.iter().filter(|w| words.words.iter().filter(|v| v == w).count() > 1);
            assert_eq!(distinct.len(), words.len(), "{:?}", twice.collect::<Vec<_>>());
        }
    }

    #[test]
    fn gbk_is_what_the_standard_encoder_gives() {
        let text = format!("<p>a{CHINESE_WORDS}</p>{}é丂", super::super::phrases::CHINESE_CHARACTERS);
        let mut ours = vec![b'x'];
        to_gbk(&text, &mut ours);
        assert_eq!(ours[1..], *encoding_rs::GBK.encode(&text).0);
        assert!(CHINESE_WORDS.chars().filter(|c| !c.is_ascii()).all(|c| GBK[c as usize] != 0));
        for phrase in super::super::phrases::CHINESE.slogans {
            assert!(phrase.chars().all(|c| c.is_ascii() || GBK[c as usize] != 0), "{phrase}");
        }
    }
}
