/** Common words to guess. Do not reorder: seeds select by index. */
export const words: readonly string[] = `
  about above actor adult after again agent alarm album alive alone amber angle ankle apple apron arrow badge
  baker basic beach beard begin bench berry birth black blade blank blend block board bonus brain brave bread
  brick bride brief bring broom brown brush build cabin cable candy cargo chain chair chalk charm chart chess
  chest child choir civil claim clean clear climb clock cloud coach coast coral couch court cover crane cream
  crown curve daily dairy dance depth dough draft drain dream dress drink drive eager eagle earth elbow empty
  enemy enjoy entry equal event extra fable faith feast fence field final flame flock floor flour fluid focus
  force fresh frost fruit ghost giant glass globe glove grain grape grass green group guard guess guest guide
  habit happy heart heavy hobby honey horse hotel house human humor image index ivory jewel joint judge juice
  knife known label labor lemon level light limit linen lucky lunch magic maple march medal melon metal minor
  model money month moral motor mouse movie music nerve night noble noise north novel nurse ocean offer olive
  onion orbit organ other paint panel paper party patch peace pearl phone photo piano pilot place plain plane
  plant plate point porch pound power press price pride prize proof proud pupil queen quiet quilt radio ranch
  range rapid raven ready reply rider river robin rough round royal salad scale scarf scene score sense shade
  shape share sharp sheep shelf shell shine shirt shore skill sleep slice small smile smoke snack solid sound
  south space spice spoon sport staff stage stair stamp steam steel stick stone storm story stove sugar sunny
  sweet sword table teach thank theme thing tiger toast today token tooth torch total towel tower track trade
  trail train treat tribe truck trust tulip uncle under union upper urban usual valid value video visit voice
  wagon waste watch water whale wheat wheel white whole woman world wrist yacht young youth zebra
`
  .trim()
  .split(/\s+/);
